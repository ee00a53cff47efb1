import { Gate, PermissionError } from 'countersign-client';

const gate = new Gate({
  url: process.env.COUNTERSIGN_URL ?? 'http://127.0.0.1:3000',
  key: process.env.COUNTERSIGN_API_KEY ?? '',
});

const deploy = gate.track((service: string) => `${service} is deployed.`, { name: 'deploy' });

try {
  console.log(await deploy('web'));
} catch (error) {
  if (!(error instanceof PermissionError)) throw error;
  console.log(`Not deployed: ${error.reason}`);
}
