// How long a viewer that lives in the browser takes to load a trace: node peer_web.mjs PEER FILE SECONDS
//   PEER is perfetto, speedscope or catapult; prints one JSON object: load_s, or failed (why); peak_bytes of the browser above an empty page.
//   PEERS names the folder that peers.py fills: node/ with speedscope, puppeteer-core and webcomponents.js; viztracer, which bundles the
//   Perfetto UI and catapult's viewer, at VIZTRACER. The clock runs from the request for the trace to the viewer's own word that it is loaded.
import fs from 'node:fs';
import http from 'node:http';
import path from 'node:path';
import { createRequire } from 'node:module';

const { PEERS, VIZTRACER, CHROMIUM } = process.env;
const puppeteer = createRequire(`${PEERS}/node/`)('puppeteer-core');
const [peer, file, seconds] = process.argv.slice(2);
const modules = `${PEERS}/node/node_modules`;
const root = peer === 'speedscope' ? `${modules}/speedscope/dist/release` : `${VIZTRACER}/web_dist`;
const types = { '.html': 'text/html', '.js': 'text/javascript', '.wasm': 'application/wasm', '.css': 'text/css', '.json': 'application/json' };
const now = () => performance.now() / 1e3;
const sleep = (ms) => new Promise((done) => setTimeout(done, ms));

// --- a server for the viewer and the trace, on this machine only ---

let requested = 0;
const catapultPage = () =>
  `<!DOCTYPE html><script src="/polyfill.js"></script>${fs.readFileSync(`${VIZTRACER}/html/trace_viewer_full.html`)}`;

function answer(request, response) {
  const name = decodeURIComponent(new URL(request.url, 'http://here').pathname);
  if (name === '/catapult') {
    response.writeHead(200, { 'content-type': 'text/html' });
    response.end(catapultPage());
    return;
  }
  let target = path.join(root, name === '/' ? 'index.html' : path.normalize(name));
  if (name === '/polyfill.js') target = `${modules}/webcomponents.js/webcomponents.min.js`;
  if (name.startsWith('/trace/')) {
    target = file;
    requested ||= now();
  }
  fs.stat(target, (error, status) => {
    if (error || !status.isFile()) {
      response.writeHead(404);
      response.end();
      return;
    }
    const type = types[path.extname(target)] ?? 'application/octet-stream';
    response.writeHead(200, { 'content-type': type, 'content-length': status.size, 'cache-control': 'no-store' });
    fs.createReadStream(target, { highWaterMark: 1 << 20 }).pipe(response);
  });
}

// --- memory of the browser: proportional set size of it and all its children ---

function family(pid) {
  const found = [pid];
  let tasks = [];
  try {
    tasks = fs.readdirSync(`/proc/${pid}/task`);
  } catch {
    return found; // it ended meanwhile
  }
  for (const task of tasks) {
    try {
      const children = fs.readFileSync(`/proc/${pid}/task/${task}/children`, 'utf8').split(' ').filter(Boolean);
      found.push(...children.flatMap((child) => family(Number(child))));
    } catch {
      // a thread that ended meanwhile has no children
    }
  }
  return found;
}

function memoryOf(pid) {
  let total = 0;
  for (const one of family(pid)) {
    try {
      total += Number(/^Pss:\s+(\d+)/m.exec(fs.readFileSync(`/proc/${one}/smaps_rollup`, 'utf8'))?.[1] ?? 0) * 1024;
    } catch {
      // it ended meanwhile
    }
  }
  return total;
}

// --- the viewers ---

class GaveUp extends Error {}

async function load(page, base, said) {
  const begin = now();
  const until = async (question, ...words) => {
    while (now() - begin < Number(seconds)) {
      const crash = said.find((line) => line.startsWith('crashed'));
      if (crash) throw new GaveUp(crash);
      let answer = null;
      try {
        answer = await page.evaluate(question, ...words);
      } catch (error) {
        if (/crash|closed|detached/i.test(String(error))) throw new GaveUp(String(error)); // else the page is between two documents
      }
      if (answer) return answer;
      await sleep(50);
    }
    throw new GaveUp(`not loaded after ${seconds} s`);
  };
  const trace = `${base}/trace/${path.basename(file)}`;
  if (peer === 'perfetto') {
    await page.goto('about:blank');
    await page.goto(`${base}/#!/?url=${encodeURIComponent(trace)}`);
    await until(() => window.app && !window.app.isLoadingTrace && window.app.trace && 1);
    const end = now();
    const slices = await page.evaluate(async () => {
      const rows = await window.app.trace.engine.query('select count(*) as n from slice');
      return Number(rows.firstRow({ n: 0 }).n);
    });
    return { load_s: end - requested, slices };
  }
  if (peer === 'speedscope') {
    await page.evaluate((url) => {
      location.hash = `#profileURL=${encodeURIComponent(url)}`;
      location.reload();
    }, trace);
    const wanted = path.basename(file);
    const title = await until((name) => (document.title.includes(name) || /error|fail/i.test(document.body.innerText)) && document.title, wanted);
    if (!title.includes(wanted)) throw new GaveUp(await page.evaluate(() => document.body.innerText.slice(0, 200)));
    return { load_s: now() - requested };
  }
  await page.evaluate((url) => {
    window.outcome = null;
    const model = new tr.Model();
    fetch(url)
      .then((response) => response.text())
      .then((text) => new tr.importer.Import(model).importTracesWithProgressDialog([text]))
      .then(() => { window.outcome = 'loaded'; }, (error) => { window.outcome = String(error); });
  }, trace);
  const outcome = await until(() => window.outcome);
  if (outcome !== 'loaded') throw new GaveUp(outcome);
  return { load_s: now() - requested };
}

const server = http.createServer(answer).listen(0, '127.0.0.1');
await new Promise((done) => server.on('listening', done));
const base = `http://127.0.0.1:${server.address().port}`;
const browser = await puppeteer.launch({
  executablePath: CHROMIUM,
  headless: true,
  protocolTimeout: (Number(seconds) + 60) * 1000,
  args: ['--no-sandbox', '--use-gl=angle', '--use-angle=swiftshader', '--enable-unsafe-swiftshader', '--window-size=1600,900',
    '--js-flags=--max-old-space-size=8192', '--disable-background-networking', '--no-first-run'],
});
const said = [];
const page = await browser.newPage();
page.on('pageerror', (error) => said.push(String(error).slice(0, 300)));
page.on('error', (error) => said.push(`crashed: ${error}`));
await page.setViewport({ width: 1600, height: 900 });
await page.goto(peer === 'catapult' ? `${base}/catapult` : `${base}/`, { waitUntil: 'load' });
await sleep(2500); // the viewer's own start is not part of loading
const idle = memoryOf(browser.process().pid);
let peak = idle;
const watch = setInterval(() => { peak = Math.max(peak, memoryOf(browser.process().pid)); }, 250);
let result;
try {
  result = await load(page, base, said);
} catch (error) {
  result = { failed: [String(error.message ?? error), ...said].join('; ').slice(0, 300) };
}
clearInterval(watch);
console.log(JSON.stringify({ ...result, peak_bytes: peak - idle, idle_bytes: idle }));
await Promise.race([browser.close(), sleep(3000)]);
process.exit(0);
