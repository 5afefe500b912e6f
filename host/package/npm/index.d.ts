import type { Root } from "./component/evaluator.js";

export type * from "./component/interfaces/pif-evaluator-types.js";
export type { Machine } from "./component/interfaces/pif-evaluator-machines.js";
export type { Root };

/** Where the component itself is, for any other host. */
export const component: URL;

/**
 * A fresh instance, which knows nothing of any other. After it has thrown anything but a
 * `ComponentError`, which is a fault of the program, it must not be used again.
 */
export function instance(): Root;

/**
 * One run in an instance of its own: JSON text in, JSON text out. The answer is not parsed, because
 * `JSON.parse` rounds long integers.
 */
export function evaluate(request: string): string;
