// Generated from templates/ts/native.ts.j2 by `wsp generate`; do not edit.
//
// The spec of the native module, in the types that React Native's codegen understands; NativeModule of types.ts has the
// real ones. It is null where the native part is not linked.
import type { TurboModule } from 'react-native';
import { TurboModuleRegistry } from 'react-native';

export interface Spec extends TurboModule {
  contract(): Object;
  systemInfo(): Object;
  languages(): Array<Object>;
  estimateMemory(path: string): Promise<Object>;
  openContext(source: Object, options?: Object): Promise<Object>;
  openVad(source: Object): Promise<Object>;
  setLog(level: string, onLog?: (level: string, text: string) => void): void;
}

export default TurboModuleRegistry.get<Spec>('Wsp');
