// The same recording in every form gives the same text; the caller's buffer may change at once.
run(async () => {
  const context = await wsp.openContext({ data: readFile(MODEL) });
  const samples = samplesOf(RECORDING);
  const text = async (audio) => (await context.transcribe(audio).promise).text;
  const expected = await text({ path: RECORDING });
  const int16 = Int16Array.from(samples, (value) => Math.round(value * 32768));

  equal(await text({ data: samples }), expected, 'Float32Array');
  equal(await text({ data: samples.buffer, format: 'float32' }), expected, 'ArrayBuffer of floats');
  equal(await text({ data: int16 }), expected, 'Int16Array');
  equal(await text({ data: new Uint8Array(int16.buffer), format: 'int16' }), expected, 'bytes of int16');
  equal(await text({ data: new DataView(int16.buffer), format: 'int16' }), expected, 'DataView');
  equal(await text({ data: readFile(RECORDING), format: 'wav' }), expected, 'a WAV file in memory');

  const wide = new Float32Array(samples.length + 7000);
  wide.fill(0.9);
  wide.set(samples, 3000);
  equal(await text({ data: wide.subarray(3000, 3000 + samples.length) }), expected, 'a view');

  const stereo = new Int16Array(2 * int16.length);
  int16.forEach((value, i) => stereo.fill(value, 2 * i, 2 * i + 2));
  equal(await text({ data: stereo, channels: 2 }), expected, 'two channels');
  const at32k = new Float32Array(2 * samples.length);
  samples.forEach((value, i) => at32k.fill(value, 2 * i, 2 * i + 2));
  const resampled = await context.transcribe({ data: at32k, sampleRateHz: 32000 }).promise;
  check(Math.abs(resampled.durationS - samples.length / 16000) < 0.01, 'resampled to its true length');

  const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
  const base64 = (bytes) => {
    let out = '';
    for (let i = 0; i < bytes.length; i += 3) {
      const n = (bytes[i] << 16) | ((bytes[i + 1] || 0) << 8) | (bytes[i + 2] || 0);
      out += letters[n >> 18] + letters[(n >> 12) & 63];
      out += i + 1 < bytes.length ? letters[(n >> 6) & 63] : '=';
      out += i + 2 < bytes.length ? letters[n & 63] : '=';
    }
    return out;
  };
  equal(await text({ base64: base64(new Uint8Array(readFile(RECORDING))) }), expected, 'base64 of a WAV file');
  equal(await text({ base64: base64(new Uint8Array(int16.buffer)), format: 'int16' }), expected, 'base64 of int16');

  // Changed, moved away, shrunk or dropped while the job is inside the core, or while it waits.
  const room = { maxByteLength: 8 * samples.length };
  const copyIn = (buffer) => {
    const view = new Float32Array(buffer);
    view.set(samples);
    return view;
  };
  // This engine pins a buffer for good whose bytes a module has seen: moving it away copies, shrinking it throws.
  const attempt = (work) => {
    try {
      work();
    } catch (error) {
      check(error instanceof TypeError || error instanceof RangeError, error.message);
    }
  };
  const changes = {
    changed: (view) => view.fill(0),
    'moved away': (view) => attempt(() => view.buffer.transfer().resize?.(0)),
    shrunk: (view) => attempt(() => view.buffer.resize(0)),
    dropped: () => {
      for (let i = 0; i < 50; i++) new ArrayBuffer(1 << 20);
    },
  };
  for (const [name, change] of Object.entries(changes)) {
    const views = [0, 1].map(() => copyIn(new ArrayBuffer(4 * samples.length, name === 'shrunk' ? room : undefined)));
    holdCore(1);
    const [runs, waits] = views.map((data) => context.transcribe({ data }).promise);
    await inside(1);
    views.forEach(change);
    views.length = 0;
    holdCore(0);
    equal([(await runs).text, (await waits).text], [expected, expected], `the buffer was ${name}`);
  }

  // Too little to be speech is an empty text, not an error.
  for (const n of [0, 1, 1599]) {
    const short = await context.transcribe({ data: new Float32Array(n) }).promise;
    equal([short.text, short.segments], ['', []], `${n} samples`);
  }
  await context.release();
});
