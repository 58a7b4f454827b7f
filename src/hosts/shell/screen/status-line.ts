/** status-line: the state of the servers, the mode and the model, in one line that fits. */
import { toPrintable } from '../../../base/printable.ts'
import type { ConnectionState } from '../../../model/connection.ts'
import type { Brush, Paint } from '../../shared/paint.ts'
import { showName } from '../../shared/show-name.ts'
import { cutEnd, widthOf } from '../../shared/width.ts'
import type { ShellState, ShownServer } from '../state.ts'
import type { View } from './view.ts'

type Standing = 'ready' | 'connecting' | 'needs sign-in' | 'failed'

const STANDINGS: Readonly<Record<ConnectionState, Standing | undefined>> = {
  ready: 'ready',
  connecting: 'connecting',
  waiting: 'failed',
  failed: 'failed',
  'needs-auth': 'needs sign-in',
  idle: undefined,
  closed: undefined,
}

const ORDER = ['ready', 'connecting', 'needs sign-in', 'failed'] as const

export function statusLine(
  { servers, mode, model }: Pick<ShellState, 'servers' | 'mode' | 'model'>,
  { paint, columns }: View,
): string {
  const brushes: Readonly<Record<Standing, Brush>> = {
    ready: paint.green,
    connecting: paint.cyan,
    'needs sign-in': paint.yellow,
    failed: paint.red,
  }
  const parts: readonly (readonly [string, Brush])[] = [
    [`${mode} mode`, mode === 'default' ? paint.dim : paint.yellow],
    ...countServers(servers).map(
      ([text, standing]) => [text, standing === undefined ? paint.dim : brushes[standing]] as const,
    ),
    ...(model === undefined ? [] : [showModel(model, paint)]),
  ]
  let left = columns - 1
  const shown: string[] = []
  for (const [text, brush] of parts) {
    if (left < 4) break
    const cut = cutEnd(text, left)
    shown.push(brush(cut))
    left -= widthOf(cut) + 3
  }
  return shown.join(paint.dim(' · '))
}

function showModel(model: string, paint: Paint): readonly [string, Brush] {
  return model === 'none' ? ['no model', paint.yellow] : [toPrintable(model), paint.dim]
}

function countServers(
  servers: readonly ShownServer[] | undefined,
): readonly (readonly [string, Standing?])[] {
  if (servers === undefined) return [['reading configuration']]
  if (servers.length === 0) return [['no servers']]
  return ORDER.flatMap((standing) => {
    const those = servers.filter(({ state }) => STANDINGS[state] === standing)
    if (those.length === 0) return []
    const isOne = those.length === 1 && standing !== 'ready' && standing !== 'connecting'
    return [
      [isOne ? `${showName(those[0]!.name)} ${standing}` : `${those.length} ${standing}`, standing] as const,
    ]
  })
}
