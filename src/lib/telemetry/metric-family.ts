/** The samples of one metric, as Prometheus has them. */
export interface MetricFamily {
  readonly name: string;
  readonly help: string;
  readonly type: 'counter' | 'gauge' | 'histogram';
  readonly samples: readonly MetricSample[];
}

interface MetricSample {
  /** What it is of a histogram; null of all else. A bucket's bound is its label `le`. */
  readonly part: 'bucket' | 'sum' | 'count' | null;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}
