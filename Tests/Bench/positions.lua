-- What wrk asks of Kurir as couriers who say where they are, each in its turn: COURIERS how many, PAUSE how many milliseconds each
-- connection rests, THREADS how many share them. Tokens are those that seed.py makes.
local couriers, pause, thread_count = tonumber(os.getenv("COURIERS")), tonumber(os.getenv("PAUSE")), tonumber(os.getenv("THREADS"))

local threads = 0
function setup(thread)
  thread:set("place", threads)
  threads = threads + 1
end

local turn = 0
function request()
  local courier = turn * thread_count + place + 1
  turn = (turn + 1) % math.floor(couriers / thread_count)
  local body = string.format(
    '{"fixes":[{"lat":%.6f,"lon":%.6f,"accuracy_m":8,"speed_mps":5,"heading":90,"at":"%s"}]}',
    45.75 + math.random() / 10, 15.9 + math.random() / 10, os.date("!%Y-%m-%dT%H:%M:%S.000Z"))
  return wrk.format(
    "POST", "/v1/me/positions",
    {["Authorization"] = "Bearer courier-" .. courier, ["Content-Type"] = "application/json"}, body)
end

function delay() return pause end
