// What whisper.rn says about the library, and its log.
import type { SystemInfo } from '../generated/types.js';
import { native } from '../native.js';
import { setLog, systemInfo } from '../system.js';

/** Hears lines of the log. */
export type NativeLogListener = (level: string, text: string) => void;

const listeners = new Set<{ readonly listener: NativeLogListener }>();

/** Sees that the native module is there; each call that needs it does so itself. Errors: not_linked, contract_mismatch. */
export async function installJsi(): Promise<void> {
  native();
}

/** Delivers the log to all listeners, or stops that. */
export async function toggleNativeLog(enabled: boolean): Promise<void> {
  if (enabled) {
    setLog('info', (level, text) => {
      // A listener that comes or goes meanwhile counts from the next line on.
      for (const one of [...listeners]) {
        one.listener(level, text);
      }
    });
  } else {
    setLog('off');
  }
}

/** Adds a listener; removing it twice does nothing. */
export function addNativeLogListener(listener: NativeLogListener): { remove: () => void } {
  const entry = { listener };
  listeners.add(entry);
  return {
    remove: () => {
      listeners.delete(entry);
    },
  };
}

function infoIfLinked(): SystemInfo | undefined {
  try {
    return systemInfo();
  } catch {
    // An import must not throw: the first call tells what is wrong.
    return undefined;
  }
}

const info = infoIfLinked();

/** Version of the API of whisper.cpp that the core follows; empty where the native module is not linked. */
export const libVersion: string = info?.version ?? '';

/** A Core ML encoder is built in. */
export const isUseCoreML: boolean = info?.hasCoreml ?? false;

/** Where Core ML fails, the CPU computes instead: always, where a Core ML encoder is built in. */
export const isCoreMLAllowFallback: boolean = isUseCoreML;
