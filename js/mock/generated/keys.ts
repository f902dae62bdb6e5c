// Generated from templates/ts/mock_keys.ts.j2 by `wsp generate`; do not edit.
//
// Keys of the native objects, so that a mock has all of them and no other: method names by whether they give a promise.

export const MODULE_KEYS = {
  properties: [],
  methods: [
    'contract',
    'systemInfo',
    'languages',
    'setLog',
  ],
  promises: [
    'estimateMemory',
    'openContext',
    'openVad',
  ],
} as const;

export const CONTEXT_KEYS = {
  properties: ['info', 'isReleased', 'nJobs'],
  methods: [
    'transcribe',
    'detectLanguage',
    'bench',
    'tokenize',
  ],
  promises: [
    'release',
  ],
} as const;

export const VAD_KEYS = {
  properties: ['isReleased', 'nJobs'],
  methods: [
    'detect',
  ],
  promises: [
    'release',
  ],
} as const;

export const JOB_KEYS = {
  properties: ['id', 'promise'],
  methods: [
    'cancel',
  ],
  promises: [
  ],
} as const;
