/** settings: what the settings files of the user and the organisation say. Those of repositories can only restrict. */
import type { ConfigDocument } from './document.ts'
import type { GatewaySetting } from './gateway-setting.ts'
import type { SourceId, Spot } from './origin.ts'
import type { PermissionRule, PermissionSettings } from './permission.ts'
import type { Level, Policy, ServerRule } from './policy.ts'
import type { Problem } from './problem.ts'
import type { Template } from './template.ts'

/** A settings file as found: read, or a problem that prevented the read. */
export type FoundSettings = { readonly level: Level; readonly file: string } & (
  | { readonly document: ConfigDocument; readonly problem?: never }
  | { readonly problem: Problem; readonly document?: never }
)

/** A settings file of another agent that may deny servers or tools. */
export type FoundAgentSettings = FoundSettings & { readonly source: SourceId }

/** `double`: `mcp__server__tool`. `bare`: `server__tool`. `single`: `mcp_server_tool`, as in xcsh. */
export type NameStyle = 'double' | 'bare' | 'single'

/** `openai`: every endpoint with the same API. */
export type ModelProvider = 'anthropic' | 'openai'

/** The model that the shell uses. */
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
  /** Names that the user switched off or on again, whichever file declares them. */
  readonly switches: ReadonlyMap<string, { readonly to: 'on' | 'off'; readonly by: Spot }>
  /** The style of tool names for the model. Absent: `double`. */
  readonly toolNames?: NameStyle
  /** The address of the MCP registry to search and install from. Absent: the official one. */
  readonly registry?: string
  readonly model?: ModelSetting
  readonly gateway?: GatewaySetting
  /** What is wrong with the gateway's settings: then no gateway starts. */
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
