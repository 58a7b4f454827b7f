/**
 * describe-login: the text that a user sees during a sign-in: the page, what to do with it, and what Plugboard waits
 * for.
 */
import type { LoginStep } from '../../runtime/login-host.ts'

export interface LoginDescription {
  readonly lines?: readonly string[]
  readonly waiting?: string
}

export function describeLogin(step: LoginStep, canPaste: boolean): LoginDescription {
  switch (step.kind) {
    case 'asking-server':
      return { waiting: `asking ${step.host} how to sign in …` }
    case 'registering':
      return { waiting: `registering with ${hostOf(step.issuer)} …` }
    case 'page':
      return {
        lines: [
          step.way === 'paste' ? 'To sign in, open this page in any browser:' : 'To sign in, open this page:',
          '',
          `  ${step.url}`,
          '',
          ...(canPaste ? [sayHowToPaste(step)] : []),
          ...(step.clientId === undefined ? [] : [sayWhatToRegister(step.clientId, step.redirectUri)]),
        ],
        waiting: 'waiting for you to sign in in the browser …',
      }
    case 'browser':
      return step.outcome.kind === 'opened'
        ? { waiting: `waiting for you to sign in in the browser (opened with ${step.outcome.opener}) …` }
        : {
            lines: ['No browser could be opened here: open the page yourself.'],
            waiting: 'waiting for you to sign in in the browser …',
          }
    case 'device':
      return {
        lines: [
          'To sign in, open this page on any device:',
          '',
          `  ${step.code.url}`,
          '',
          `and type in the code ${step.code.userCode}`,
          ...(step.code.completeUrl === undefined ? [] : [`(or open ${step.code.completeUrl})`]),
        ],
        waiting: 'waiting for you to type in the code …',
      }
    case 'ignored':
      return {
        lines: [`something came that is not the answer: ${step.why}`],
        waiting: 'still waiting for you to sign in …',
      }
    case 'exchanging':
      return { waiting: `asking ${hostOf(step.issuer)} for tokens …` }
  }
}

function sayHowToPaste({ way, redirectUri }: Extract<LoginStep, { kind: 'page' }>): string {
  const what = 'the whole address it shows'
  return way === 'paste'
    ? `It ends at a page that does not load on another machine (${redirectUri}…): paste ${what} here.`
    : `Should the browser not find its way back (it ends at ${redirectUri}…), paste ${what}.`
}

/** If the address is not registered, the authorization server shows an error page and sends nothing back. */
function sayWhatToRegister(clientId: string, redirectUri: string): string {
  return `The client \`${clientId}\` must be registered with ${redirectUri}; if it has another address, put that into its entry as \`redirectUri\`.`
}

function hostOf(url: string): string {
  return URL.canParse(url) ? new URL(url).host : url
}
