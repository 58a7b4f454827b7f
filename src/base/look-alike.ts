/**
 * look-alike: the form of a name that is compared with a forbidden name.
 *
 * in     a name, or a pattern of names
 * out    lower case; letters of other alphabets, other widths and with accents as the letters they are read as; without
 *        what cannot be seen
 *
 * Two names that a person would read as one have one form. Plain letters and digits stay apart (`l`, `1` and `I` do
 * not): names of real tools differ in nothing else.
 */
export function foldLookAlikes(text: string): string {
  // Nearly every name, at a hundredth of the cost.
  if (/^[\x20-\x7e]*$/.test(text)) return text.toLowerCase()
  const apart = text.normalize('NFKD').replace(/[\p{M}\p{C}\p{Default_Ignorable_Code_Point}]/gu, '')
  const plain = apart.replace(/\p{Pd}|\u2212/gu, '-').replace(/\p{Pc}/gu, '_')
  // A capital may look like one letter, and its small form like another.
  return toLatin(toLatin(plain).toLowerCase())
}

function toLatin(text: string): string {
  return Array.from(text, (character) => LOOKS_LIKE.get(character) ?? character).join('')
}

/**
 * Latin letters, each with the characters that look like it: Unicode's confusables (UTS #39), as far as they are
 * letters.
 */
const LETTERS: Readonly<Record<string, string>> = {
  a: 'аαɑᴀАΑᎪⱥꓮꭺⲁ',
  b: 'ЬᏏвВΒᏴƀɓꓐ',
  c: 'сϲᴄСϹⲥᏟȼꓚꮯ',
  d: 'ԁᏧժᴅᎠđɗꓓꭰ',
  e: 'еєҽℯᴇЕΕᎬεɇꓰꭼⲉ',
  f: 'ϝꞙſᖴƒꓝ',
  g: 'ɡցԍᶃᏀɢǥɠꓖ',
  h: 'һհᏂНΗᎻʜħꓧꮋⲏ',
  i: 'іιıɩꙇӀІΙɨꓲⲓ',
  j: 'јϳᎫЈᴊɉȷꓙꭻ',
  k: 'кκᴋКΚᏦƙꓗꮶⲕ',
  l: 'ӏ׀ⅼןᏞʟłƚꓡꮮ',
  m: 'мᴍМΜᎷꓟꮇⲙ',
  n: 'ոռηпΝɴƞꓠⲛ',
  o: 'оοօσסᴏОΟՕøɵꓳⲟ',
  p: 'рρϱᴘРΡᏢƥꓑꮲⲣ',
  q: 'ԛզգԚ',
  r: 'гᴦʀᏒɍꓣ',
  s: 'ѕꜱЅᏚꓢꮪ',
  t: 'тτᴛТΤᎢŧƭꓔꭲⲧ',
  u: 'սυʋᴜՍʉꓴ',
  v: 'νѵᴠѴᏙꓦꮩ',
  w: 'ԝᴡѡԜᎳꓪꮃ',
  x: 'хχⅹХΧꓫⲭ',
  y: 'уγүʏУΥҮɏƴꓬⲩ',
  z: 'ᴢΖᏃƶꓜꮓⲍ',
  '-': '⁃˗',
  '/': '⁄∕⟋',
  '.': '․',
}

const LOOKS_LIKE: ReadonlyMap<string, string> = new Map(
  Object.entries(LETTERS).flatMap(([letter, alike]) => Array.from(alike, (one) => [one, letter] as const)),
)
