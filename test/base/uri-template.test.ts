/**
 * uri-template: the examples of RFC 6570, sections 1.2 and 3.2, but for associative arrays.
 */
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { expandTemplate, variablesOf } from '../../src/base/uri-template.ts'

const VALUES = new Map<string, string | readonly string[]>([
  ['count', ['one', 'two', 'three']],
  ['dom', ['example', 'com']],
  ['dub', 'me/too'],
  ['hello', 'Hello World!'],
  ['half', '50%'],
  ['var', 'value'],
  ['who', 'fred'],
  ['base', 'http://example.com/home/'],
  ['path', '/foo/bar'],
  ['list', ['red', 'green', 'blue']],
  ['v', '6'],
  ['x', '1024'],
  ['y', '768'],
  ['empty', ''],
  ['empty_list', []],
])

describe('the examples of the RFC', () => {
  test.each([
    // 3.2.1
    ['{count}', 'one,two,three'],
    ['{count*}', 'one,two,three'],
    ['{/count}', '/one,two,three'],
    ['{/count*}', '/one/two/three'],
    ['{;count}', ';count=one,two,three'],
    ['{;count*}', ';count=one;count=two;count=three'],
    ['{?count}', '?count=one,two,three'],
    ['{?count*}', '?count=one&count=two&count=three'],
    ['{&count*}', '&count=one&count=two&count=three'],
    // 3.2.2
    ['{var}', 'value'],
    ['{hello}', 'Hello%20World%21'],
    ['{half}', '50%25'],
    ['O{empty}X', 'OX'],
    ['O{undef}X', 'OX'],
    ['{x,y}', '1024,768'],
    ['{x,hello,y}', '1024,Hello%20World%21,768'],
    ['?{x,empty}', '?1024,'],
    ['?{x,undef}', '?1024'],
    ['?{undef,y}', '?768'],
    ['{var:3}', 'val'],
    ['{var:30}', 'value'],
    ['{list}', 'red,green,blue'],
    ['{list*}', 'red,green,blue'],
    // 3.2.3
    ['{+var}', 'value'],
    ['{+hello}', 'Hello%20World!'],
    ['{+half}', '50%25'],
    ['{base}index', 'http%3A%2F%2Fexample.com%2Fhome%2Findex'],
    ['{+base}index', 'http://example.com/home/index'],
    ['O{+empty}X', 'OX'],
    ['O{+undef}X', 'OX'],
    ['{+path}/here', '/foo/bar/here'],
    ['here?ref={+path}', 'here?ref=/foo/bar'],
    ['up{+path}{var}/here', 'up/foo/barvalue/here'],
    ['{+x,hello,y}', '1024,Hello%20World!,768'],
    ['{+path,x}/here', '/foo/bar,1024/here'],
    ['{+path:6}/here', '/foo/b/here'],
    ['{+list}', 'red,green,blue'],
    ['{+list*}', 'red,green,blue'],
    // 3.2.4
    ['{#var}', '#value'],
    ['{#hello}', '#Hello%20World!'],
    ['{#half}', '#50%25'],
    ['foo{#empty}', 'foo#'],
    ['foo{#undef}', 'foo'],
    ['{#x,hello,y}', '#1024,Hello%20World!,768'],
    ['{#path,x}/here', '#/foo/bar,1024/here'],
    ['{#path:6}/here', '#/foo/b/here'],
    ['{#list*}', '#red,green,blue'],
    // 3.2.5
    ['{.who}', '.fred'],
    ['{.who,who}', '.fred.fred'],
    ['{.half,who}', '.50%25.fred'],
    ['www{.dom*}', 'www.example.com'],
    ['X{.var}', 'X.value'],
    ['X{.empty}', 'X.'],
    ['X{.undef}', 'X'],
    ['X{.var:3}', 'X.val'],
    ['X{.list}', 'X.red,green,blue'],
    ['X{.list*}', 'X.red.green.blue'],
    // 3.2.6
    ['{/who}', '/fred'],
    ['{/who,who}', '/fred/fred'],
    ['{/half,who}', '/50%25/fred'],
    ['{/who,dub}', '/fred/me%2Ftoo'],
    ['{/var}', '/value'],
    ['{/var,empty}', '/value/'],
    ['{/var,undef}', '/value'],
    ['{/var,x}/here', '/value/1024/here'],
    ['{/var:1,var}', '/v/value'],
    ['{/list*}', '/red/green/blue'],
    // 3.2.7
    ['{;who}', ';who=fred'],
    ['{;half}', ';half=50%25'],
    ['{;empty}', ';empty'],
    ['{;v,empty,who}', ';v=6;empty;who=fred'],
    ['{;v,bar,who}', ';v=6;who=fred'],
    ['{;x,y}', ';x=1024;y=768'],
    ['{;x,y,empty}', ';x=1024;y=768;empty'],
    ['{;hello:5}', ';hello=Hello'],
    // 3.2.8
    ['{?who}', '?who=fred'],
    ['{?half}', '?half=50%25'],
    ['{?x,y}', '?x=1024&y=768'],
    ['{?x,y,empty}', '?x=1024&y=768&empty='],
    ['{?x,y,undef}', '?x=1024&y=768'],
    ['{?var:3}', '?var=val'],
    ['{?list}', '?list=red,green,blue'],
    ['{?list*}', '?list=red&list=green&list=blue'],
    // 3.2.9
    ['{&who}', '&who=fred'],
    ['?fixed=yes{&x}', '?fixed=yes&x=1024'],
    ['{&x,y,empty}', '&x=1024&y=768&empty='],
    ['{&var:3}', '&var=val'],
    // 3.2.1: a list without items is undefined.
    ['X{empty_list}{?empty_list*}', 'X'],
  ])('%s is %s', (template, expected) => {
    expect(expandTemplate(template, VALUES)).toBe(expected)
  })
})

describe('other templates', () => {
  test.each([
    ['file:///a b/{var}', 'file:///a%20b/value'],
    ['file:///%41/ä{?undef}', 'file:///%41/%C3%A4'],
    ['{user-id}/{a.b}', '7/dotted'],
    ['{open', '%7Bopen'],
    ['{}{a b}{var:x}', '{}{a b}{var:x}'],
    ['{half}{+encoded}', '50%25%41'],
    ['{lone}', '%EF%BF%BD'],
    ['{smile:1}', '%F0%9F%98%80'],
  ])('%s is %s', (template, expected) => {
    const values = new Map([
      ...VALUES,
      ['user-id', '7'],
      ['a.b', 'dotted'],
      ['encoded', '%41'],
      ['lone', '\ud800'],
      ['smile', '😀😀'],
    ] as const)
    expect(expandTemplate(template, values)).toBe(expected)
  })

  test('nothing makes it throw, and a simple value comes back when it is decoded', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.string({ unit: 'grapheme' }), (template, value) => {
        expandTemplate(template, new Map([['x', value]]))
        expect(decodeURIComponent(expandTemplate('{x}', new Map([['x', value]])))).toBe(value)
      }),
    )
  })
})

describe('the variables of a template', () => {
  test('are told each once, with whether the URI has a hole without them', () => {
    expect(variablesOf('db://{table}{/rest*}{?limit:3,table}{&x}{#frag}{+path}')).toEqual([
      { name: 'table', isRequired: true },
      { name: 'rest', isRequired: false },
      { name: 'limit', isRequired: false },
      { name: 'x', isRequired: false },
      { name: 'frag', isRequired: false },
      { name: 'path', isRequired: true },
    ])
    expect(variablesOf('file:///plain{a b}')).toEqual([])
  })
})
