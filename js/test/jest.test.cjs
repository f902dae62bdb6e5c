// The mock as an app's own tests use it, run by jest.
jest.mock('wsp.rn', () => require('wsp.rn/jest-mock'));

const { initWhisper, loadModel } = require('wsp.rn');

test('an app is tested without the native part', async () => {
  const context = await initWhisper({ filePath: 'file:///model.bin' });
  await expect(context.transcribe('file:///a.wav').promise).resolves.toEqual({
    language: 'en',
    result: ' Test',
    segments: [{ text: ' Test', t0: 0, t1: 33 }],
    isAborted: false,
  });
});

test('methods can be looked at and replaced', async () => {
  const context = await loadModel('/model.bin');
  jest.spyOn(context, 'tokenize').mockReturnValue([1, 2]);
  expect(context.tokenize('a')).toEqual([1, 2]);
  expect(context.tokenize).toHaveBeenCalledWith('a');
});
