/** The address at which browsers reach this program, without a slash at the end. */
export class OwnAddress {
  readonly #configured: string | null;
  #listening: string;

  /**
   * @param configured the operator's public address; null where there is none.
   * @param listening where this program will listen, until {@link listensAt} says where it does.
   */
  constructor(configured: string | null, listening: string) {
    this.#configured = configured;
    this.#listening = listening;
  }

  /** Sets where this program listens, as soon as that is known. */
  listensAt(url: string): void {
    this.#listening = url;
  }

  readonly url = (): string => this.#configured ?? this.#listening;
}
