// The process behind S3Server: `node s3-server-program.mjs <folder> <port, 0 = any> <bucket>`; sends its port to the parent.
import process from 'node:process';
import S3rver from '@20minutes/s3rver';

const [directory, port, bucket] = process.argv.slice(2);
const server = new S3rver({
  ...{ address: '127.0.0.1', port: Number(port), directory, silent: true, vhostBuckets: false },
  configureBuckets: [{ name: bucket }],
});
// s3rver computes signatures over `/bucket` where clients sign the `/bucket/` that they send. Right before its routes, the
// state by which it knows a bucket in the host's name makes it take the path as it came; signatures stay checked.
server.middleware.splice(-1, 0, (context, next) => {
  if (/^\/[^/]+\/$/.test(context.path)) {
    context.state.vhost = true;
    context.mountPath = '/';
  }
  return next();
});
const { port: chosen } = await server.run();
process.on('disconnect', () => process.exit());
process.send(chosen);
