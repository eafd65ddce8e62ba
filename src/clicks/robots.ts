/*
 * User agents of programs that open links without a person. The sources are:
 * - the makers' pages: WhatsApp, Meta, Slack, Discord, Telegram, LinkedIn, Google's list of fetchers, Apple;
 * - the lists monperrus/crawler-user-agents and omrilotan/isbot, which also name phones that are no robots;
 * - reports on previews of SMS: matomo-org/device-detector #5962 (Samsung), JayBizzle/Crawler-Detect #575 and
 *   fnando/browser #515 (Google Messages).
 * Each is a regular expression that ignores case. Browsers inside apps (FBAN, Instagram, [Pinterest/iOS], GSA, Snapchat) are
 * people.
 */

/** Programs that show a preview of a link beside the message. */
const PREVIEWERS = [
  'whatsapp/', // Signal too, which borrows the name.
  'facebookexternalhit', // Facebook, Instagram, Messenger; and Apple's Messages, which names it beside itself.
  'facebookcatalog',
  'facebookplatform',
  'meta-external',
  'googlemessages/',
  'google-pagerenderer',
  'developers\\.google\\.com/\\+/web/snippet', // Older Google Messages.
  'googleimageproxy',
  'google-read-aloud',
  'google-safety',
  'google favicon',
  // Samsung Messages. It claims to be a Firefox of 2013 on a desktop, which no phone has.
  '^mozilla/5\\.0 \\(x11; ubuntu; linux i686; rv:24\\.0\\) gecko/20100101 firefox/24\\.0$',
  'slack-imgproxy',
  'skype', // Also Microsoft Teams: SkypeUriPreview.
  'ms-office|msoffice|microsoft office|microsoft outlook',
  'preview', // BingPreview, Google Web Preview, Snap URL Preview Service, iMessageLinkPreviews, and many more.
  'line-poker',
  'kakaotalk-scrap',
  'vkshare',
  'pinterest/0\\.',
  'cardyb', // Bluesky.
  'mastodon/',
  'iframely',
  'embedly',
  'unfurl',
  'redditbot|tumblr/',
  'yahoo link',
  'snippet'
]

/** Scanners that check a link before a person may open it. Many hide; these do not. */
const SECURITY_SCANNERS = [
  'barracuda',
  'proofpoint',
  'mimecast',
  'ciscosecureemail|ironport',
  'trend ?micro|\\btmes\\b',
  'zscaler',
  'forcepoint|websense',
  'fortinet|fortigate|fortiguard',
  'sophos',
  'symantec|messagelabs|bluecoat',
  'safelinks',
  'cloudmark',
  'netcraft',
  'palo ?alto|cortex-xpanse|expanse',
  'virustotal',
  'urlscan|urlvoid',
  'censys|shodan|zgrab|masscan|nuclei|nmap|nikto|sqlmap|bitsight',
  'scanner'
]

/** Crawlers, monitors and headless browsers. */
const CRAWLERS = [
  '(?<!cu)bots?(?:\\b|_|-)', // Not CUBOT, which makes phones.
  'crawl',
  'spider',
  'slurp',
  'scrap(?:e|y)',
  'fetch(?:er)?\\b',
  '\\+https?://', // "(+https://…)": where to read about a robot.
  'archiver|archive\\.org|heritrix|nutch|httrack',
  'mediapartners|adsbot|apis-google|appengine-google',
  'headless',
  'phantomjs|slimerjs|selenium|webdriver|puppeteer|playwright|cypress',
  'lighthouse|page ?speed|gtmetrix|webpagetest|ptst/',
  'pingdom|statuscake|uptime|monitor|newrelic|datadog|catchpoint|site24x7',
  'link ?check|validator',
  'wordpress/|drupal|joomla'
]

/** Default user agents of programs and libraries. */
const PROGRAMS = [
  'curl/',
  '^wget',
  'python|aiohttp|^httpx|urllib',
  'go-http-client|^go |golang|colly',
  '^java/|apache-httpclient|httpclient|http_client|jakarta',
  'okhttp',
  '^dalvik/', // An Android app that loads something; browsers begin with Mozilla.
  'cfnetwork/', // The same of an iOS app.
  '^dart/',
  'axios|node-fetch|undici|^node\\b|^node\\.js|^got\\b|superagent|^bun/|^deno/',
  '^ruby|faraday|typhoeus|mechanize',
  '\\bperl\\b|libwww|lwp::',
  '^php|guzzle|zend_http|symfony',
  'postman|insomnia|httpie|restsharp|paw/',
  'winhttp|windowspowershell|powershell|\\.net clr runtime|microsoft bits',
  'reqwest|hyper/|ureq',
  'apachebench|autocannon|wrk/|^k6/|jmeter|gatling|artillery|siege',
  '^mozilla/\\d\\.\\d$',
  '^mozilla/\\d\\.\\d \\(compatible;?\\)$'
]

const ROBOT = new RegExp([...PREVIEWERS, ...SECURITY_SCANNERS, ...CRAWLERS, ...PROGRAMS].join('|'), 'i')

/** Longer than the user agent of any browser. The rest is not tested. */
const AGENT_LENGTH_MAX = 512
/** Phones of one model share a user agent. Testing some hundred patterns for each click would cost more than the click. */
const KNOWN_MAX = 2_000
const known = new Map<string, boolean>()

/** Whether a user agent is that of a program, or is empty. */
export function isRobotAgent(agent: string | undefined): boolean {
  if (agent === undefined || agent.trim() === '') return true
  const before = known.get(agent)
  if (before !== undefined) return before
  const isRobot = ROBOT.test(agent.slice(0, AGENT_LENGTH_MAX))
  if (known.size >= KNOWN_MAX) known.clear()
  if (agent.length <= AGENT_LENGTH_MAX) known.set(agent, isRobot)
  return isRobot
}
