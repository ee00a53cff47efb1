import { deflateRawSync, inflateRawSync } from 'node:zlib';

/** Before what was deflated with {@link DICTIONARY}: no JSON begins with it. */
const PACKED = 1;

/** Shorter JSON stays as it is: what is saved isn't worth the time. */
const PACKED_FROM = 250;

/**
 * What records are made of, the most frequent last. It's a part of the store's format: a change needs a mark of its own.
 */
const DICTIONARY = Buffer.from(
  [
    '{"channel":"","ts":"","hash":"","show":{"kind":"}}"surface":{"kind":"http","keyName":"","name":"',
    '"feedback":null},"outcome":{"status":"succeeded","content":[{"type":"text","text":""}],"structured":null}',
    '"tries":1,"decision":{"type":"approve","actor":{"id":"slack:T","state":"closed","state":"answered","response":"',
    '{"itemId":"","text":"","receivedAt":17,"state":"waiting","runId":"","stoppedBy":null,"response":null}',
    '{"interruptId":"","callIds":["call_"],"state":"open","createdAt":17,"closedAt":null}',
    '"state":"succeeded","state":"executing","attempt":1,"rule":"default","for":"slack:T"},"previous":"',
    '"actor":{"id":"system","name":"Countersign"},"what":"executing","what":"ended",',
    '"what":"decided","state":"approved","decision":"approve","rule":"default","policyVersion":"","step":0},',
    '{"threadId":"slack:T","seq":1,"at":17,"actor":{"id":"slack:T","name":""},"what":"asked","requestId":"","callId":"call_',
    '"digest":"","details":{"tool":"","state":"pending","rule":"default","policyVersion":"","definition":""},',
    '"previous":null,"permission":"","keyId":"","hash":"","signature":"',
    '{"callId":"call_","threadId":"slack:T","runId":"","requestId":"","kind":"tool","tool":{"server":"","name":"',
    '","modelName":"","title":"","description":"","inputSchema":{"$schema":"http://json-schema.org/draft-07/schema#",',
    '"type":"object","properties":{"":{"type":"array","items":{"type":"number"},"":{"type":"boolean"},"":{"type":"string",',
    '"description":""}},"required":[""],"additionalProperties":false},"definitionHash":"","destructive":false,"readOnly":false},',
    '"arguments":{"":""},"proposedArguments":{"":""},"digest":"","verdict":{"action":"ask","rule":"","reason":null,',
    '"policyVersion":""},"state":"pending","decision":null,"timing":{"decideBy":null,"answerBy":null,"askedSince":17,',
    '"nextRungAt":null,"climbed":[],"extended":[]},"requester":{"id":"slack:T","name":""},"proposedAt":17,"ordinal":0,',
    '"isAlone":true,"attempt":0,"fence":null,"intentAt":null,"endedAt":null,"outcome":null,"need":null,"elicitationAnswer":null}',
  ].join(''),
);

/** More than what is usual needs only takes time: a third of it is the making of what zlib works in. */
const settingsFor = (bytes: number) => ({
  dictionary: DICTIONARY,
  windowBits: 12,
  memLevel: 4,
  chunkSize: Math.max(1_024, bytes),
});

/** A record's JSON as Redis gets it; deflated where that is shorter. */
export function packJson(json: string): string | Buffer {
  if (json.length < PACKED_FROM) return json;
  const deflated = deflateRawSync(json, settingsFor(json.length >> 1));
  return deflated.length + 1 < json.length ? Buffer.concat([Buffer.of(PACKED), deflated]) : json;
}

/** What Redis has of a record, as text that {@link unpackJson} takes; the same for the same bytes. */
export function packedText(bytes: Buffer): string {
  return bytes.toString(bytes[0] === PACKED ? 'latin1' : 'utf8');
}

/** The JSON that was packed, or that never was. Throws where the text is neither. */
export function unpackJson(text: string): string {
  if (text.charCodeAt(0) !== PACKED) return text;
  return inflateRawSync(Buffer.from(text, 'latin1').subarray(1), settingsFor(text.length << 2)).toString();
}
