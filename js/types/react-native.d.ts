// What this package uses of React Native and of the globals that React Native defines, so that it is compiled without
// installing either. It is not published: no published type refers to it.

declare module 'react-native' {
  /** Base of the specs of native modules. */
  export interface TurboModule {
    getConstants?(): object;
  }

  export const TurboModuleRegistry: {
    /** The native module, or null where it is not linked. */
    get<Module extends TurboModule>(name: string): Module | null;
  };

  export const Image: {
    /** Where the bundler put what was required; null for a number that is no asset. */
    resolveAssetSource(asset: number): { readonly uri: string } | null;
  };
}

/** The part of XMLHttpRequest that loads bytes. */
declare class XMLHttpRequest {
  responseType: string;
  readonly response: unknown;
  readonly status: number;
  onload: (() => void) | null;
  onerror: (() => void) | null;
  open(method: string, url: string): void;
  send(): void;
}
