/**
 * gateway-token: the token that clients show to the gateway. The first start makes it, in a file of the user's own.
 */
import type { OurDirs } from '../pipeline/discover/project.ts'
import { createProblem, ProblemError } from '../problem/problem.ts'
import type { World } from '../world/world.ts'

export interface GatewayToken {
  readonly token: string
  readonly file: string
}

/** Rejects with a ProblemError: without a file for the token, no client could know it. */
export async function readGatewayToken(world: World, dirs: Pick<OurDirs, 'state'>): Promise<GatewayToken> {
  const file = world.paths.join(dirs.state, 'gateway-token')
  const known = tokenIn(world, file)
  if (known !== undefined) return { token: known, file }
  try {
    // Another process may have made it first.
    await world.files.update(file, 0o600, (text) =>
      text === undefined || text.trim() === '' ? `${world.keys.random(32)}\n` : text,
    )
  } catch (error) {
    throw new ProblemError(unwritable(file, error), { cause: error })
  }
  return { token: tokenIn(world, file)!, file }
}

function tokenIn(world: World, file: string): string | undefined {
  const read = world.files.read(file)
  const token = read.kind === 'text' ? read.text.trim() : ''
  return token === '' ? undefined : token
}

function unwritable(file: string, error: unknown): ConstructorParameters<typeof ProblemError>[0] {
  return createProblem({
    code: 'serve/no-token',
    message: 'the token that clients show could not be written down',
    where: { file },
    notes: [error instanceof Error ? error.message : String(error)],
    hints: ['make sure that the folder is one, and that you may write there'],
  })
}
