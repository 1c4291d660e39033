/** False where a panel covers the screen, as on a phone: nothing is seen next to it. The bound is that of panel-stack.module.css. */
export const hasRoomForPanel = (): boolean => !matchMedia('(max-width: 60rem)').matches;
