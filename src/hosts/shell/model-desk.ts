/** model-desk: holds the model of a session: the choice, and its connection, which is opened once. */
import { toProblem } from '../shared/to-problem.ts'
import type { CommandContext } from '../shared/context.ts'
import type { Problem } from '../../model/problem.ts'
import type { ModelSetting } from '../../model/settings.ts'
import type { OpenModel } from './agent/agent.ts'
import { chooseModel, openModel, type ModelChoice } from './agent/model.ts'

export interface ModelSelection {
  /** Undefined: none is configured. */
  get(): ModelChoice | undefined
  /** Chooses by the command line, the environment and the settings. */
  begin(setting: ModelSetting | undefined): void
  /** `provider/id`, or an id of the current provider; takes effect with the next turn. Throws `shell/bad-model`. */
  set(named: string): ModelChoice
  /** Undefined: none is configured. Rejects with `shell/no-key`; the next call may find a key. */
  open(): Promise<OpenModel | undefined>
}

export interface ModelListener {
  /** `provider/id`. */
  onChoice(label: string | 'none'): void
  onProblem(problem: Problem): void
}

export function createModelDesk(
  { world, flags, version }: CommandContext,
  { onChoice, onProblem }: ModelListener,
): ModelSelection {
  const inLine = typeof flags['model'] === 'string' ? flags['model'] : undefined
  let setting: ModelSetting | undefined
  let choice: ModelChoice | undefined
  let opened: { readonly of: ModelChoice; readonly model: Promise<OpenModel> } | undefined
  const tell = (): void => onChoice(choice === undefined ? 'none' : `${choice.provider}/${choice.id}`)
  return {
    get: () => choice,
    begin(given) {
      setting = given
      try {
        choice = chooseModel({ named: inLine, setting, env: world.env })
      } catch (error) {
        onProblem(toProblem(error, version))
      }
      tell()
    },
    set(named) {
      // With a provider, the address is that of the settings. An id alone belongs to the current provider.
      const from = /^(?:anthropic|openai)\//.test(named) ? setting : (choice ?? setting)
      choice = chooseModel({ named, setting: from, env: world.env })
      tell()
      return choice!
    },
    async open() {
      if (choice === undefined) return undefined
      if (opened?.of !== choice) opened = { of: choice, model: openModel(world, choice) }
      try {
        return await opened.model
      } catch (error) {
        opened = undefined
        throw error
      }
    },
  }
}
