/**
 * events: sends what happens on the board to every client that listens for it.
 *
 * in     changes, notifications and updated resources of the board
 * out    notifications, each to the listeners whose view contains the server
 * never  announces a change before the lists contain it, where the gateway can know that
 */
import type { Params } from '../../model/message.ts'
import type { Offering } from '../../model/offering.ts'
import type { BoardNotification } from '../../runtime/board-notification.ts'
import type { ServedBoard } from './served-board.ts'
import type { Clock } from '../../world/world.ts'
import type { Relay } from './relay.ts'

/** A client that listens, until it stops. */
export interface EventListener {
  /** Undefined: all servers. */
  readonly server: string | undefined
  /** The principal that owns the stream, where streams are counted by owner. */
  readonly holder?: string | undefined
  /** The client of the stream: some servers tell each client something different. */
  readonly client?: object | undefined
  /**
   * Whether the client belongs to the owner of the gateway. Only the owner gets notifications that may concern any
   * user. Default: false.
   */
  readonly isOwners?: boolean | undefined
  /** The servers whose events it may receive. Undefined: all. */
  readonly allows?: ((server: string) => boolean) | undefined
  hear(event: GatewayEvent): void
  /** The gateway closes: nothing follows. */
  onClose?(): void
}

export type GatewayEvent =
  | { readonly kind: 'list'; readonly list: ChangingList }
  | { readonly kind: 'resource'; readonly uri: string; readonly server: string }
  | { readonly kind: 'log'; readonly params: Params }
  /** Any other notification of a server. */
  | { readonly kind: 'other'; readonly method: string; readonly params: Params }

export type ChangingList = 'tools' | 'resources' | 'prompts'

const LISTS: readonly ChangingList[] = ['tools', 'resources', 'prompts']

/**
 * After a server announces a changed list, the gateway waits this long for a difference. Then it forwards the
 * announcement anyway.
 */
const SETTLE_MS = 300

/** Limit of streams for one holder. One more ends the oldest. */
export const MAX_STREAMS = 200

export class Events {
  readonly #board: ServedBoard
  readonly #relay: Relay
  readonly #clock: Clock
  readonly #ears = new Set<EventListener>()
  /** The offering that was last announced, by server. */
  readonly #seen = new Map<string, Offering | undefined>()
  readonly #announced = new Map<string, () => void>()
  readonly #stops: readonly (() => void)[]

  constructor(board: ServedBoard, relay: Relay, clock: Clock) {
    this.#board = board
    this.#relay = relay
    this.#clock = clock
    for (const { name, offering } of board.snapshot().servers) this.#seen.set(name, offering)
    this.#stops = [
      board.on('change', ({ servers, tools }) => {
        // Tools may change although no server did: the user accepted a change.
        for (const server of new Set([...servers, ...(tools ? this.#seen.keys() : [])])) this.#compare(server)
      }),
      board.on('resource', ({ server, uri, audience }) =>
        this.#tell({ server, audience }, { kind: 'resource', uri, server }),
      ),
      board.on('notification', (told) => this.#hear(told)),
    ]
  }

  /** Call the returned function to stop. */
  listen(ear: EventListener): () => void {
    this.#ears.add(ear)
    const { holder } = ear
    const theirs = holder === undefined ? [] : [...this.#ears].filter((one) => one.holder === holder)
    if (theirs.length > MAX_STREAMS) theirs[0]!.onClose?.()
    return () => void this.#ears.delete(ear)
  }

  /** Ends the streams of a holder that has lost its access. */
  dismiss(holder: string): void {
    for (const ear of this.#ears) if (ear.holder === holder) ear.onClose?.()
  }

  close(): void {
    for (const stop of this.#stops) stop()
    for (const cancel of this.#announced.values()) cancel()
    for (const ear of this.#ears) ear.onClose?.()
    this.#ears.clear()
  }

  #hear(told: BoardNotification): void {
    const { method, params } = told
    const list = LISTS.find((one) => method === `notifications/${one}/list_changed`)
    // A list that differs for one client was read before.
    if (list !== undefined && told.audience !== undefined) this.#tell(told, { kind: 'list', list })
    else if (list !== undefined) this.#announce(told.server, list)
    else if (method === 'notifications/message') {
      if (!this.#relay.tellLog(told)) this.#tell(told, { kind: 'log', params })
    } else if (method !== 'notifications/resources/updated')
      this.#tell(told, { kind: 'other', method, params })
  }

  /**
   * The board reads the list again before the gateway announces it. A list that turns out unchanged is announced later.
   */
  #announce(server: string, list: ChangingList): void {
    const key = `${list} ${server}`
    if (this.#announced.has(key)) return
    const cancel = this.#clock.after(SETTLE_MS, () => {
      this.#announced.delete(key)
      this.#tell({ server }, { kind: 'list', list })
    })
    this.#announced.set(key, cancel)
  }

  #compare(server: string): void {
    const before = this.#seen.get(server)
    const now = this.#board.server(server)?.offering
    this.#seen.set(server, now)
    for (const list of LISTS) {
      if (isSame(before, now, list)) continue
      const key = `${list} ${server}`
      this.#announced.get(key)?.()
      this.#announced.delete(key)
      this.#tell({ server }, { kind: 'list', list })
    }
  }

  #tell({ server, audience }: Pick<BoardNotification, 'server' | 'audience'>, event: GatewayEvent): void {
    for (const ear of this.#ears) {
      const isMeant = ear.server === undefined || ear.server === server
      const isAllowed = ear.allows?.(server) !== false && audience?.(ear.client) !== false
      if (isMeant && isAllowed && mayHear(ear, event)) ear.hear(event)
    }
  }
}

/** A log that belongs to no request may concern a request of another user. */
function mayHear({ isOwners }: EventListener, { kind }: GatewayEvent): boolean {
  return kind !== 'log' || isOwners === true
}

function isSame(before: Offering | undefined, now: Offering | undefined, list: ChangingList): boolean {
  const isSameList = before?.[list] === now?.[list]
  return list === 'resources'
    ? isSameList && before?.resourceTemplates === now?.resourceTemplates
    : isSameList
}
