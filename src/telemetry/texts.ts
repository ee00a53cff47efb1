/** For operators. */
export const EXPORT_FAILED =
  'telemetry export failed: the OTLP receiver could not be reached, or refused it; nothing else is affected';
export const EXPORT_AGAIN = 'telemetry export works again';
