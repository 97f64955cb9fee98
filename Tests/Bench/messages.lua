-- Messages of stores and couriers, one after the other in every conversation. TALKS says how many there are, STORES how many stores.
local talks, stores = tonumber(os.getenv("TALKS")), tonumber(os.getenv("STORES"))
local threads = 0

function setup(thread)
  thread:set("first", threads)
  threads = threads + 1
end

local count = 0

request = function()
  count = count + 1
  local talk = (count * 7 + first * 101) % talks + 1
  local who = count % 2 == 0 and "store-" .. ((talk - 1) % stores + 1) or "courier-" .. talk
  return wrk.format("POST", string.format("/v1/conversations/00000005-0000-7000-8000-%012x/messages", talk),
    {["Authorization"] = "Bearer " .. who, ["Content-Type"] = "application/json"}, '{"text":"Nitko ne otvara, što sad?"}')
end

response = function(status)
  if status ~= 201 then
    io.stderr:write("answered with " .. status .. "\n")
    os.exit(1)
  end
end
