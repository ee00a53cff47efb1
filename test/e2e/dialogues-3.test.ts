import { describeDialogues } from '../helpers/dialogue-suite.ts';

describeDialogues({ part: 3, of: 3 });
