// One set of icons: 24 units, strokes of 1.75, round ends.
const PATHS = {
  plus: 'M12 5v14M5 12h14',
  search: 'M11 4a7 7 0 1 0 0 14 7 7 0 0 0 0-14ZM20 20l-4-4',
  send: 'M12 19V5M6 11l6-6 6 6',
  stop: 'M8 8h8v8H8z',
  copy: 'M9 9h10v10H9zM5 15V5h10',
  check: 'M5 12.5l4.5 4.5L19 7.5',
  close: 'M6 6l12 12M18 6L6 18',
  retry: 'M20 11a8 8 0 1 0-2.3 5.7M20 5v6h-6',
  edit: 'M4 20h4L19 9l-4-4L4 16v4ZM13.5 6.5l4 4',
  branch: 'M7 8v8M7 8a2 2 0 1 0 0-4 2 2 0 0 0 0 4ZM7 20a2 2 0 1 0 0-4 2 2 0 0 0 0 4ZM17 8a2 2 0 1 0 0-4 2 2 0 0 0 0 4ZM17 8c0 4-4 4.5-10 5',
  clip: 'M20 11.5l-8.2 8.2a5 5 0 0 1-7.1-7.1l8.5-8.5a3.3 3.3 0 0 1 4.7 4.7l-8.5 8.5a1.7 1.7 0 0 1-2.4-2.4l7.8-7.8',
  tool: 'M14.5 6.5a4 4 0 0 1 5-1.2l-2.7 2.7 1.2 1.2L20.700 6.500a4 4 0 0 1-5.500 5L8 18.700a2.100 2.100 0 0 1-3-3l7.200-7.200',
  thought: 'M9.500 18.500h5M10.500 21.500h3M12 3a6.500 6.500 0 0 0-4 11.600c.8.7 1.500 1.500 1.500 2.400h5c0-.9.7-1.700 1.500-2.400A6.500 6.500 0 0 0 12 3Z',
  down: 'M6 9.500l6 6 6-6',
  right: 'M9.500 6l6 6-6 6',
  left: 'M14.500 6l-6 6 6 6',
  arrow: 'M12 5v14M6 13l6 6 6-6',
  menu: 'M4 7h16M4 12h16M4 17h16',
  trash: 'M5 7h14M10 7V4.500h4V7M7 7l.8 12.500h8.400L17 7M10.500 11v5M13.500 11v5',
  sun: 'M12 8a4 4 0 1 0 0 8 4 4 0 0 0 0-8ZM12 2.500v2M12 19.500v2M4.900 4.900l1.400 1.400M17.700 17.700l1.400 1.400M2.500 12h2M19.500 12h2M4.900 19.100l1.400-1.400M17.700 6.300l1.400-1.400',
  moon: 'M20 14.500A8.500 8.500 0 0 1 9.500 4a8.500 8.500 0 1 0 10.500 10.500Z',
  alert: 'M12 8.500v4.500M12 16.500v.01M12 3.500L2.800 19.500h18.400L12 3.500Z',
  clock: 'M12 3.500a8.500 8.500 0 1 0 0 17 8.500 8.500 0 0 0 0-17ZM12 7.500v5l3 2',
  user: 'M12 4.500a3.500 3.500 0 1 0 0 7 3.500 3.500 0 0 0 0-7ZM5 20c.5-3.800 3.300-6 7-6s6.500 2.200 7 6',
  file: 'M6 3.500h8l4 4v13H6zM14 3.500v4h4',
  play: 'M8 5.500v13l10.500-6.500z',
  spark: 'M12 3.500l2 6.500 6.500 2-6.500 2-2 6.500-2-6.500-6.500-2 6.500-2z',
  shield: 'M12 3.500l7.500 2.800v5.200c0 4.500-3 7.600-7.500 9-4.500-1.400-7.500-4.500-7.500-9V6.300z',
  diff: 'M12 4v8M8 8h8M8 18h8',
  layers: 'M12 4l8.500 4.500L12 13 3.500 8.500zM3.500 13L12 17.500l8.500-4.500',
} as const;

export type IconName = keyof typeof PATHS;

export function Icon({ name, size = 18 }: { name: IconName; size?: number }) {
  return (
    <svg class="icon" width={size} height={size} viewBox="0 0 24 24" fill="none" stroke="currentColor"
      stroke-width="1.75" stroke-linecap="round" stroke-linejoin="round" aria-hidden="true" focusable="false">
      <path d={PATHS[name]} />
    </svg>
  );
}
