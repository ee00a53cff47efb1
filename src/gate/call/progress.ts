/** Progress of a running call, as its server reports it. */
export interface Progress {
  readonly progress: number;
  readonly total: number | null;
  readonly message: string | null;
}
