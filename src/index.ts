// Whatever this process and its servers create is for their owner alone.
process.umask(0o077);
// Whoever sends SIGUSR1, as a server's process can, would otherwise have the inspector opened.
process.on('SIGUSR1', () => undefined);

const args = process.argv.slice(2);
const start = async (): Promise<void> => {
  const { serve } = await import('./app/serve.ts');
  await serve({ ...process.env }, process.env);
};
// A start needs nothing of the commands.
if (args.length === 0) {
  await start();
} else {
  const { runProgram } = await import('./app/commands/program.ts');
  const code = await runProgram(args, process.env, start);
  // A client that still holds a connection must not keep it open.
  if (code !== null) process.stdout.write('', () => process.exit(code));
}
