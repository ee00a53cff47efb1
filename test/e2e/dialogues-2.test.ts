import { describeDialogues } from '../helpers/dialogue-suite.ts';

describeDialogues({ part: 2, of: 3 });
