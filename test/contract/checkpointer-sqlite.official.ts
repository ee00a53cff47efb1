import { deltaChannelHistoryTests, validate } from '@langchain/langgraph-checkpoint-validation';
import { SqliteSaver } from '../../src/storage/checkpointer-sqlite.ts';

const initializer = {
  checkpointerName: 'SqliteSaver',
  createCheckpointer: () => new SqliteSaver(':memory:'),
  destroyCheckpointer: (saver: SqliteSaver) => saver.close(),
};

validate(initializer);
deltaChannelHistoryTests(initializer);
