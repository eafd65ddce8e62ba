import { strict as assert } from 'node:assert'
import { test } from 'node:test'
import { isCertainlyRobot } from './judge-click.ts'
import { isRobotAgent } from './robots.ts'

// User agents as they stand in the logs of web servers.
const PEOPLE: [who: string, agent: string][] = [
  [
    'Safari on an iPhone',
    'Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Mobile/15E148 Safari/604.1'
  ],
  [
    'Safari on an iPad',
    'Mozilla/5.0 (iPad; CPU OS 16_6 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/16.6 Mobile/15E148 Safari/604.1'
  ],
  [
    'Chrome on an iPhone',
    'Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) CriOS/126.0.6478.54 Mobile/15E148 Safari/604.1'
  ],
  [
    'Chrome on Android, which no longer names the phone',
    'Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/138.0.0.0 Mobile Safari/537.36'
  ],
  [
    'Chrome on a Pixel',
    'Mozilla/5.0 (Linux; Android 14; Pixel 8 Pro Build/UD1A.231105.004) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/119.0.6045.134 Mobile Safari/537.36'
  ],
  [
    'Samsung Internet',
    'Mozilla/5.0 (Linux; Android 13; SAMSUNG SM-A546B) AppleWebKit/537.36 (KHTML, like Gecko) SamsungBrowser/25.0 Chrome/121.0.0.0 Mobile Safari/537.36'
  ],
  ['Firefox on Android', 'Mozilla/5.0 (Android 14; Mobile; rv:127.0) Gecko/127.0 Firefox/127.0'],
  [
    'Firefox on an iPhone',
    'Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) FxiOS/127.0 Mobile/15E148 Safari/605.1.15'
  ],
  [
    'a CUBOT, which is a phone',
    'Mozilla/5.0 (Linux; Android 6.0; CUBOT MAX) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/72.0.3626.121 Mobile Safari/537.36'
  ],
  [
    'another CUBOT',
    'Mozilla/5.0 (Linux; Android 8.0.0; CUBOT_P20) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/70.0.3538.110 Mobile Safari/537.36'
  ],
  [
    'a hand-held terminal that scans',
    'Mozilla/5.0 (Linux; Android 7.1.1; EDA50K ScanPal) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/87.0.4280.141 Mobile Safari/537.36'
  ],
  [
    'Edge on Android',
    'Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/125.0.0.0 Mobile Safari/537.36 EdgA/125.0.2535.96'
  ],
  ['Opera Mini', 'Opera/9.80 (Android; Opera Mini/66.2.2254/191.303; U; fr) Presto/2.12.423 Version/12.16'],
  [
    'DuckDuckGo',
    'Mozilla/5.0 (Linux; Android 10) AppleWebKit/537.36 (KHTML, like Gecko) Version/4.0 Chrome/84.0.4147.111 Mobile DuckDuckGo/5 Safari/537.36'
  ],
  [
    'Ecosia, with an @',
    'Mozilla/5.0 (iPhone; CPU iPhone OS 17_4_1 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.4.1 Mobile/15E148 Safari/604.1 (Ecosia ios@9.2.3.1367)'
  ],
  [
    'the browser within Facebook’s app',
    'Mozilla/5.0 (iPhone; CPU iPhone OS 17_5_1 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Mobile/15E148 [FBAN/FBIOS;FBAV/468.0.0.41.72;FBBV/608735463;FBDV/iPhone15,2;FBMD/iPhone;FBSN/iOS;FBSV/17.5.1;FBSS/3;FBCR/;FBID/phone;FBLC/fr_FR;FBOP/5]'
  ],
  [
    'the browser within Instagram',
    'Mozilla/5.0 (Linux; Android 13; SM-S911B Build/TP1A.220624.014; wv) AppleWebKit/537.36 (KHTML, like Gecko) Version/4.0 Chrome/126.0.6478.71 Mobile Safari/537.36 Instagram 336.0.0.35.90 Android (33/13; 480dpi; 1080x2125; samsung; SM-S911B; dm1q; qcom; fr_FR; 611205934)'
  ],
  [
    'the browser within Snapchat',
    'Mozilla/5.0 (iPhone; CPU iPhone OS 17_5_1 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.5.1 Mobile/15E148 Snapchat/12.90.0.46 (like Safari/8618.2.12.10.9, panda)'
  ],
  [
    'the browser within Pinterest',
    'Mozilla/5.0 (iPhone; CPU iPhone OS 17_4 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Mobile/15E148 [Pinterest/iOS]'
  ],
  [
    'the browser within LinkedIn',
    'Mozilla/5.0 (iPhone; CPU iPhone OS 17_4 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Mobile/15E148 [LinkedInApp]/9.29.6214'
  ],
  [
    'Google’s app',
    'Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) GSA/321.0.640606853 Mobile/15E148 Safari/604.1'
  ],
  [
    'TikTok, which says googleplay',
    'Mozilla/5.0 (Linux; Android 10; SM-G973F Build/QQ3A.200805.001; wv) AppleWebKit/537.36 (KHTML, like Gecko) Version/4.0 Chrome/85.0.4183.101 Mobile Safari/537.36 trill_2021806060 JsSdk/1.0 NetType/WIFI Channel/googleplay AppName/musical_ly app_version/18.6.6 ByteLocale/fr ByteFullLocale/fr Region/FR'
  ],
  ['a phone with keys', 'Mozilla/5.0 (Mobile; Nokia_8110_4G; rv:48.0) Gecko/48.0 Firefox/48.0 KAIOS/2.5'],
  [
    'an old phone with keys',
    'SAMSUNG-GT-S5620/1.0 SHP/VPP/R5 Dolfin/1.5 Nextreaming SMM-MMS/1.2.0 profile/MIDP-2.1 configuration/CLDC-1.1'
  ],
  ['a BlackBerry', 'BlackBerry8520/5.0.0.681 Profile/MIDP-2.1 Configuration/CLDC-1.1 VendorID/600'],
  [
    'Chrome on a desktop, where messages are read too',
    'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/126.0.0.0 Safari/537.36'
  ],
  [
    'a Firefox on Ubuntu that is none of Samsung’s previews',
    'Mozilla/5.0 (X11; Ubuntu; Linux x86_64; rv:127.0) Gecko/20100101 Firefox/127.0'
  ]
]

const ROBOTS: [who: string, agent: string][] = [
  ['nobody', ''],
  ['nobody, with a space', ' '],
  ['WhatsApp on Android', 'WhatsApp/2.23.20.0 A'],
  ['WhatsApp on iOS', 'WhatsApp/2.24.10.74 i'],
  ['Signal', 'WhatsApp/2'],
  ['Facebook', 'facebookexternalhit/1.1 (+http://www.facebook.com/externalhit_uatext.php)'],
  [
    'Apple’s Messages',
    'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_11_1) AppleWebKit/601.2.4 (KHTML, like Gecko) Version/9.0.1 Safari/601.2.4 facebookexternalhit/1.1 Facebot Twitterbot/1.0'
  ],
  [
    'Google Messages',
    'Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/138.0.0.0 Mobile Safari/537.36 GoogleMessages/20.1'
  ],
  [
    'Google Messages before',
    'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/56.0.2924.87 Safari/537.36 Google (+https://developers.google.com/+/web/snippet/)'
  ],
  [
    'Google’s renderer',
    'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/56.0.2924.87 Safari/537.36 Google-PageRenderer Google (+https://developers.google.com/+/web/snippet/)'
  ],
  ['Samsung Messages', 'Mozilla/5.0 (X11; Ubuntu; Linux i686; rv:24.0) Gecko/20100101 Firefox/24.0'],
  ['Telegram', 'TelegramBot (like TwitterBot)'],
  ['Slack', 'Slackbot-LinkExpanding 1.0 (+https://api.slack.com/robots)'],
  ['Slack’s pictures', 'Slack-ImgProxy (+https://api.slack.com/robots)'],
  ['Discord', 'Mozilla/5.0 (compatible; Discordbot/2.0; +https://discordapp.com)'],
  ['X', 'Twitterbot/1.0'],
  ['LinkedIn', 'LinkedInBot/1.0 (compatible; Mozilla/5.0; Apache-HttpClient +http://www.linkedin.com)'],
  [
    'Skype and Teams',
    'Mozilla/5.0 (Windows NT 6.1; WOW64) SkypeUriPreview Preview/0.5 skype-url-preview@microsoft.com'
  ],
  ['Office', 'Mozilla/4.0 (compatible; ms-office; MSOffice 16)'],
  ['Bing’s previews', 'Mozilla/5.0 (Windows NT 6.1; WOW64) AppleWebKit/534+ (KHTML, like Gecko) BingPreview/1.0b'],
  [
    'Snapchat’s previews',
    'Mozilla/5.0 (iPhone; CPU iPhone OS 12_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Snap URL Preview Service; bot; snapchat'
  ],
  ['LINE', 'facebookexternalhit/1.1;line-poker/1.0'],
  ['Pinterest', 'Pinterest/0.2 (+http://www.pinterest.com/)'],
  ['Bluesky', 'Mozilla/5.0 (compatible; Bluesky Cardyb/1.1; +mailto:support@bsky.app)'],
  ['Barracuda', 'Barracuda Sentinel (EE)'],
  ['Proofpoint', 'Mozilla/5.0 (compatible; proofpoint-urldefense)'],
  ['Mimecast', 'Mimecast-TTP/1.0'],
  [
    'Googlebot as a phone',
    'Mozilla/5.0 (Linux; Android 6.0.1; Nexus 5X Build/MMB29P) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/86.0.4240.96 Mobile Safari/537.36 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)'
  ],
  [
    'Applebot',
    'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_5) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/13.1.1 Safari/605.1.15 (Applebot/0.1; +http://www.apple.com/go/applebot)'
  ],
  [
    'Bytespider',
    'Mozilla/5.0 (Linux; Android 6.0; Nexus 5 Build/MRA58N) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/51.0.5668.1446 Mobile Safari/537.36; Bytespider;bytespider@bytedance.com'
  ],
  [
    'a browser without a screen',
    'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) HeadlessChrome/100.0.4896.88 Safari/537.36'
  ],
  ['an Android app', 'Dalvik/2.1.0 (Linux; U; Android 9; SM-G965U Build/PPR1.180610.011)'],
  ['an iOS app', 'MessagesBlastDoorService/1 CFNetwork/1410.0.3 Darwin/22.6.0'],
  ['okhttp', 'okhttp/4.12.0'],
  ['curl', 'curl/8.5.0'],
  ['Wget', 'Wget/1.21.4'],
  ['Python', 'python-requests/2.32.3'],
  ['aiohttp', 'Python/3.12 aiohttp/3.9.5'],
  ['Go', 'Go-http-client/2.0'],
  ['Java', 'Java/17.0.9'],
  ['Node', 'node'],
  ['axios', 'axios/1.7.2'],
  ['Ruby', 'Ruby'],
  ['PHP', 'GuzzleHttp/7'],
  ['Postman', 'PostmanRuntime/7.39.0'],
  ['PowerShell', 'Mozilla/5.0 (Windows NT; Windows NT 10.0; fr-FR) WindowsPowerShell/5.1.19041.4522'],
  ['hardly a name', 'Mozilla/5.0'],
  ['a watcher', 'Mozilla/5.0 (compatible; UptimeRobot/2.0; http://www.uptimerobot.com/)']
]

for (const [who, agent] of PEOPLE) {
  test(`a click counts: ${who}`, () => assert.equal(isRobotAgent(agent), false))
}

for (const [who, agent] of ROBOTS) {
  test(`a click does not count: ${who}`, () => assert.equal(isRobotAgent(agent), true))
}

test('an agent of any length is judged at once, and those that never come again are forgotten', () => {
  assert.equal(isRobotAgent('x'.repeat(15_000)), false)
  assert.equal(isRobotAgent(`curl/8 ${'x'.repeat(15_000)}`), true)
  for (let index = 0; index < 10_000; index++) assert.equal(isRobotAgent(`Mozilla/5.0 (Phone ${index})`), false)
})

test('whoever asks for the head only, or fetches ahead of a person, or no page, is no person', () => {
  const person = { 'user-agent': PEOPLE[0]?.[1] ?? '' }
  assert.equal(isCertainlyRobot('GET', person), false)
  assert.equal(isCertainlyRobot('GET', { ...person, 'sec-fetch-dest': 'document' }), false)
  assert.equal(isCertainlyRobot('GET', { ...person, 'sec-fetch-dest': 'iframe' }), false)
  assert.equal(isCertainlyRobot('GET', { ...person, purpose: 'something else' }), false)
  assert.equal(isCertainlyRobot('HEAD', person), true)
  assert.equal(isCertainlyRobot('GET', {}), true)
  for (const headers of [
    { 'sec-purpose': 'prefetch' },
    { 'sec-purpose': 'prefetch;prerender' },
    { purpose: 'prefetch' },
    { 'x-purpose': 'preview' },
    { 'x-moz': 'prefetch' },
    { 'sec-fetch-dest': 'image' },
    { 'sec-fetch-dest': 'empty' }
  ]) {
    assert.equal(isCertainlyRobot('GET', { ...person, ...headers }), true, JSON.stringify(headers))
  }
})
