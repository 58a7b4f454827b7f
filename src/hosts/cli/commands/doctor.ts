/**
 * doctor: shows every finding with its fix. The exit code is 1 when a finding is an error.
 */
import type { Problem } from '../../../model/problem.ts'
import { examine } from '../../../runtime/doctor.ts'
import { countOf } from '../../shared/amounts.ts'
import { toProblemJson } from '../../shared/problem-json.ts'
import { showProblems } from '../../shared/show-problem.ts'
import type { CommandContext } from '../command.ts'
import { DONE, FAILED } from '../exit-codes.ts'
import { printJson } from '../print.ts'
import { whoTurnedOff } from '../turned-off.ts'

export async function run(context: CommandContext): Promise<number> {
  const { world, terminal, paint, flags, json } = context
  const mode = flags['run'] === true ? 'run' : 'look'
  const loaded = await context.load(mode === 'run' ? { connectors: 'fetch' } : {})
  const findings = await examine(world, loaded, mode)
  if (json) printJson(terminal, { findings: findings.map(toFindingJson) })
  else {
    if (findings.length > 0)
      terminal.out(`${showProblems(findings, { here: world, paint, columns: terminal.columns })}\n\n`)
    terminal.out(`${whoTurnedOff(context, loaded) ?? summarize(findings, loaded.catalog.entries.length)}\n`)
  }
  return findings.some(({ severity }) => severity === 'error') ? FAILED : DONE
}

function summarize(findings: readonly Problem[], entries: number): string {
  const looked = `looked at ${countOf(entries, 'declaration')}`
  if (findings.length === 0) return `${looked}: nothing is wrong`
  const count = (severity: Problem['severity'], noun: string): string =>
    countOf(findings.filter((finding) => finding.severity === severity).length, noun)
  return `${looked}: ${count('error', 'error')}, ${count('warning', 'warning')}, ${count('info', 'note')}`
}

function toFindingJson(finding: Problem): object {
  const { hints, ...rest } = toProblemJson(finding)
  return { severity: finding.severity, ...rest, ...(hints[0] === undefined ? {} : { fix: hints[0] }) }
}
