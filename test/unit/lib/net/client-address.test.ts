import { describe, expect, it } from 'vitest';
import { clientAddress, parseNetworks } from '../../../../src/lib/net/client-address.ts';

const PROXIES = parseNetworks('127.0.0.1, 10.0.0.0/8, fd00::/8') ?? [];

describe('the address of a request', () => {
  it.each([
    ['the connection’s', '203.0.113.7', undefined, '203.0.113.7'],
    ['the connection’s, written as IPv6', '::ffff:203.0.113.7', undefined, '203.0.113.7'],
    ['not what a client says of itself', '203.0.113.7', '198.51.100.1', '203.0.113.7'],
    ['what a trusted proxy says', '127.0.0.1', '198.51.100.1', '198.51.100.1'],
    ['what the last trusted proxy of several says', '10.1.1.1', '198.51.100.1, 10.2.2.2', '198.51.100.1'],
    ['not what a client says to a trusted proxy', '10.1.1.1', '1.2.3.4, 198.51.100.1', '198.51.100.1'],
    ['a proxy’s own, if the request began there', '10.1.1.1', '10.2.2.2', '10.2.2.2'],
    ['a proxy’s, if what it says is no address', '10.1.1.1', 'unknown', '10.1.1.1'],
    ['an IPv6 network', '2001:db8:1:2:3:4:5:6', undefined, '2001:db8:1:2::/64'],
    ['unknown without a connection', undefined, '198.51.100.1, nonsense', 'unknown'],
  ])('is %s', (_, peer, forwardedFor, expected) => {
    expect(clientAddress({ peer, forwardedFor }, PROXIES)).toBe(expected);
  });

  it('is the connection’s, whatever it says, where no proxy is trusted', () => {
    expect(clientAddress({ peer: '127.0.0.1', forwardedFor: '198.51.100.1' }, [])).toBe('127.0.0.1');
  });
});

describe('a list of networks', () => {
  it.each(['nginx', '10.0.0.0/33', '10.0.0.1,', ''])('is not %j', (list) => {
    expect(parseNetworks(list)).toBeNull();
  });
});
