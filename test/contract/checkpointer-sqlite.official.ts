import { deltaChannelHistoryTests, validate } from '@langchain/langgraph-checkpoint-validation';
import { SqliteSaver } from '../../src/storage/checkpoints/sqlite/saver.ts';

const initializer = {
  checkpointerName: 'SqliteSaver',
  createCheckpointer: () => new SqliteSaver(':memory:'),
  destroyCheckpointer: (saver: SqliteSaver) => saver.close(),
};

validate(initializer);
deltaChannelHistoryTests(initializer);
