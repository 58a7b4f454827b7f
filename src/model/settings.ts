/**
 * settings: what the user's and the organisation's settings files ask for, with repositories only tightening.
 */
import type { ConfigDocument } from './document.ts'
import type { GatewaySetting } from './gateway-setting.ts'
import type { SourceId, Spot } from './origin.ts'
import type { PermissionRule, PermissionSettings } from './permission.ts'
import type { Level, Policy, ServerRule } from './policy.ts'
import type { Problem } from './problem.ts'
import type { Template } from './template.ts'

/** A settings file as found: read, or kept from being read by a problem. */
export type FoundSettings = { readonly level: Level; readonly file: string } & (
  | { readonly document: ConfigDocument; readonly problem?: never }
  | { readonly problem: Problem; readonly document?: never }
)

/** A settings file of another agent that may deny servers or tools. */
export type FoundAgentSettings = FoundSettings & { readonly source: SourceId }

/** `double`: `mcp__server__tool`. `bare`: `server__tool`. `single`: `mcp_server_tool`, in the manner of xcsh. */
export type NameStyle = 'double' | 'bare' | 'single'

/** `openai`: every endpoint that speaks like it. */
export type ModelProvider = 'anthropic' | 'openai'

/** The model that the shell talks to. */
export interface ModelSetting {
  readonly provider: ModelProvider
  readonly id: string
  /** Absent: the provider's own. */
  readonly baseUrl?: string
  /** `!command`, the name of a variable, or text. Absent: the provider's usual variable. */
  readonly apiKey?: Template
}
export const NAME_STYLES: readonly NameStyle[] = ['double', 'bare', 'single']

export interface Settings {
  /** The line that says `enabled: false`: no other file is read. */
  readonly off?: Spot
  readonly sourcesOff: ReadonlyMap<SourceId, Spot>
  /** The line of `projectConfig: false`. */
  readonly projectConfigOff?: Spot
  readonly connectors: readonly Connector[]
  /** By plugin name. */
  readonly plugins: ReadonlyMap<string, { readonly isOn: boolean; readonly by: Spot }>
  /** Names switched off or on again by the user, whichever file declares them. */
  readonly switches: ReadonlyMap<string, { readonly to: 'on' | 'off'; readonly by: Spot }>
  /** How the model sees tools called. Absent: `double`. */
  readonly toolNames?: NameStyle
  /** The address of the MCP registry to search and install from. Absent: the official one. */
  readonly registry?: string
  readonly model?: ModelSetting
  readonly gateway?: GatewaySetting
  /** What is wrong with it: then none is started. */
  readonly gatewayFault?: Problem
  readonly policy: Policy
  /** Rules of the repository's own settings: they apply once its user approved something of this project. */
  readonly projectDeny: readonly ServerRule[]
  /** Without the rules of the repository. */
  readonly permissions: PermissionSettings
  /** As `projectDeny`: rules about calls, which deny or ask. */
  readonly projectRules: readonly PermissionRule[]
  readonly problems: readonly Problem[]
}

export interface Connector {
  readonly url: string
  readonly headers: ReadonlyMap<string, Template>
  readonly by: Spot
}
