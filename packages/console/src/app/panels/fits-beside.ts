/** False where a panel covers the screen, as on a phone: nothing is seen beside it. The bound is that of panel-stack.module.css. */
export const fitsBeside = (): boolean => !matchMedia('(max-width: 60rem)').matches;
