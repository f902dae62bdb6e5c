// Loads a model and transcribes the recording: text, segments, tokens, words, events, statistics.
run(async () => {
  const context = await wsp.openContext({ path: MODEL });
  equal(context.nJobs, 0, 'loading is no job any more');
  const info = context.info;
  check(info.type === 'tiny' && info.isMultilingual === false, JSON.stringify(info));
  check(info.backend === 'cpu' && info.backendReason.startsWith('cpu'), info.backendReason);
  check(info.weightsBytes > 30e6 && info.stateBytes > 1e6, JSON.stringify(info));

  const events = [];
  const job = context.transcribe({ path: RECORDING }, { tokens: true, words: true }, (event) => events.push(event));
  check(Number.isInteger(job.id) && job.id > 0, 'the job has an id');
  check(job.promise instanceof Promise, 'the job has a promise');
  equal(context.nJobs, 1, 'one job');
  const result = await job.promise;
  print(result.text);
  check(/morning/i.test(result.text) || result.text.length > 10, result.text);
  equal(result.text, result.segments.map((one) => one.text).join(''), 'text is that of the segments');
  equal(result.isCancelled, false, 'it is not cancelled');
  equal(result.language, 'en', 'language');
  check(result.durationS > 1 && result.stats.audioS === result.durationS, 'duration');
  check(result.stats.encodeMs > 0 && result.stats.nWindows >= 1 && result.stats.nTokens > 0, JSON.stringify(result.stats));
  equal(result.speech, [], 'no speech was looked for');

  let last = 0;
  for (const segment of result.segments) {
    check(last <= segment.startS && segment.startS <= segment.endS, 'segments are in order');
    last = segment.endS;
    equal(segment.words.map((one) => one.text).join(''), segment.text, 'words are the text');
    for (const word of segment.words) check(word.startS <= word.endS && word.probability > 0, JSON.stringify(word));
    const text = segment.tokens.filter((one) => !one.isSpecial).map((one) => one.text);
    equal(text.join(''), segment.text, 'tokens are the text');
    for (const token of segment.tokens) check(!('dtwS' in token), 'no alignment was asked for');
  }

  const batches = events.filter((event) => event.type === 'segments');
  equal(batches.flatMap((event) => event.segments).map((one) => one.text), result.segments.map((one) => one.text), 'events');
  equal(batches.map((event) => event.firstIndex)[0], 0, 'the first event begins at 0');
  const percents = events.filter((event) => event.type === 'progress').map((event) => event.progressPercent);
  equal(percents, [...percents].sort((a, b) => a - b), 'progress grows');
  equal(percents[percents.length - 1], 100, 'progress ends at 100');

  // Without being asked for, they are not there.
  const plain = await context.transcribe({ path: RECORDING }).promise;
  equal(plain.text, result.text, 'the text does not depend on what is delivered');
  check(!('tokens' in plain.segments[0]) && !('words' in plain.segments[0]), 'tokens and words are absent');

  equal(context.tokenize(' hello').length > 0, true, 'tokens of a text');
  await context.release();
  equal(context.isReleased, true, 'it is released');
  equal(context.info.type, 'tiny', 'info stays');
});
