-- What wrk asks of Kurir: KIND says what, TOTAL how many deliveries were seeded, FIRST from which on this run may change
-- them, THREADS how many share them. Ids and tokens are those that seed.py makes.
local kind, total = os.getenv("KIND"), tonumber(os.getenv("TOTAL"))
local first, thread_count = tonumber(os.getenv("FIRST")), tonumber(os.getenv("THREADS"))

local threads = {}
function setup(thread)
  thread:set("place", #threads)
  threads[#threads + 1] = thread
end

local function id(kind, n) return string.format("0000000%d-0000-7000-8000-%012x", kind, n) end
local function courier(n, k) return (n * 7 + k * 100) % 1000 + 1 end
local function store(n) return n % 100 + 1 end
local function headers(token) return {["Authorization"] = "Bearer " .. token, ["Content-Type"] = "application/json"} end
local function get(path, token) return wrk.format("GET", path, headers(token)) end

-- Lines of a path and a token: made when the run begins, and then sent in turn, by each thread from another place on.
local lines, line = {}, 0
local function read(path)
  for line in io.lines(path) do
    local path, token = line:match("^(%S+) (%S+)$")
    lines[#lines + 1] = get(path, token)
  end
end

function init()
  math.randomseed(os.time() + place * 7919)
  if kind == "lines" then
    read(os.getenv("LINES"))
    line = place * math.floor(#lines / thread_count)
  end
end

-- Each thread changes deliveries of its own, one after the other.
turns = 0
local function change(action)
  local n = first + turns * thread_count + place
  turns = turns + 1
  return wrk.format("POST", "/v1/deliveries/" .. id(3, n) .. "/" .. action, headers("courier-" .. courier(n, 0)))
end

function done()
  local most = 0
  for _, thread in ipairs(threads) do most = math.max(most, thread:get("turns")) end
  print("used " .. most * #threads)
end

local function create(n, reference)
  return wrk.format("POST", "/v1/deliveries", headers("store-" .. store(n)), string.format(
    '{"recipient":{"first_name":"Iva","last_name":"Ivić","address":"Vukovarska 5"},"description":"Torta za rođendan",%s"courier_ids":["%s","%s","%s"]}',
    reference, id(2, courier(n, 0)), id(2, courier(n, 1)), id(2, courier(n, 2))))
end

local kinds = {
  create = function() return create(math.random(1, total), "") end,
  -- All but the first are refused.
  duplicate = function() return create(1, '"reference":"taken",') end,
  accept = function() return change("accept") end,
  deliver = function() return change("deliver") end,
  find = function()
    local n = math.random(1, total)
    return get("/v1/deliveries/" .. id(3, n), "store-" .. store(n))
  end,
  list_store = function() return get("/v1/deliveries", "store-" .. math.random(1, 100)) end,
  list_courier = function() return get("/v1/deliveries", "courier-" .. math.random(1, 1000)) end,
  feed = function() return get("/v1/events", "store-" .. math.random(1, 100)) end,
  lines = function()
    line = line % #lines + 1
    return lines[line]
  end,
}
request = kinds[kind]
