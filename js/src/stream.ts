// Items that arrive one after another, for any number of readers, each of which sees all of them. It knows nothing of speech.

/**
 * The key of async iteration. Engines without Symbol.asyncIterator run code that Babel has lowered, which looks for this
 * text instead.
 */
export const ASYNC_ITERATOR: typeof Symbol.asyncIterator =
  Symbol.asyncIterator ?? ('@@asyncIterator' as unknown as typeof Symbol.asyncIterator);

/** What was pushed so far; readers wait for more until it ends or fails. */
export class Stream<Item> {
  private readonly items: Item[] = [];
  private readonly wake: Array<() => void> = [];
  private isOver = false;
  private failure: { readonly error: unknown } | undefined;

  /** Number of items so far. */
  get length(): number {
    return this.items.length;
  }

  /** Adds items at the end. */
  push(items: readonly Item[]): void {
    this.items.push(...items);
    this.wakeReaders();
  }

  /** No more items come. */
  end(): void {
    this.isOver = true;
    this.wakeReaders();
  }

  /** No more items come; readers get the error after the last one. */
  fail(error: unknown): void {
    this.failure = { error };
    this.end();
  }

  /** A reader that starts at the first item. Leaving it early ends only this reader. */
  read(): AsyncIterableIterator<Item> {
    let next = 0;
    let hasLeft = false;
    const leave = (): Promise<IteratorResult<Item, undefined>> => {
      hasLeft = true;
      return Promise.resolve({ done: true, value: undefined });
    };
    const step = (): Promise<IteratorResult<Item, undefined>> => {
      if (hasLeft) {
        return leave();
      }
      if (next < this.items.length) {
        return Promise.resolve({ done: false, value: this.items[next++] as Item });
      }
      if (this.isOver) {
        // The error is told once; who goes on reading finds the end.
        const told = leave();
        return this.failure === undefined ? told : Promise.reject(this.failure.error);
      }
      return new Promise<void>((resolve) => this.wake.push(resolve)).then(step);
    };
    const reader: AsyncIterableIterator<Item> = {
      next: step,
      return: leave,
      [ASYNC_ITERATOR]: () => reader,
    };
    return reader;
  }

  private wakeReaders(): void {
    for (const wake of this.wake.splice(0)) {
      wake();
    }
  }
}
