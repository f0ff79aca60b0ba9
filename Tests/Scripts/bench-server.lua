-- bench-server.lua -- requests for wrk, in a random order that is the same for every server.
--
--   wrk ... -s bench-server.lua URL -- KIND COUNT
--
-- KIND is get, page, search, post, put or mixed; there are COUNT notes.

local kind, count
local threads = 0

function setup(thread)
    threads = threads + 1
    thread:set("number", threads)
end

function init(arguments)
    kind, count = arguments[1], tonumber(arguments[2])
    math.randomseed(number)
    wrk.headers["Content-Type"] = "application/json"
end

local function draft()
    local author = math.random(0, 999)
    return '{"author": "author-' .. author .. '", "text": "A note of author ' .. author .. '."}'
end

local requests = {
    get = function() return wrk.format("GET", "/notes/" .. math.random(count)) end,
    page = function()
        return wrk.format("GET", "/notes?author=author-" .. math.random(0, 999) .. "&before=" .. math.random(count))
    end,
    search = function()
        return wrk.format("GET", "/search?text=topic-" .. 1000000 + math.random(0, math.floor(count / 10) - 1))
    end,
    post = function() return wrk.format("POST", "/notes", nil, draft()) end,
    put = function() return wrk.format("PUT", "/notes/" .. math.random(count), nil, draft()) end
}

-- Of a hundred requests, how many are of each kind.
local mix = { { "search", 2 }, { "put", 20 }, { "page", 28 }, { "get", 50 } }

function request()
    if kind ~= "mixed" then return requests[kind]() end
    local turn = math.random(100)
    for _, share in ipairs(mix) do
        turn = turn - share[2]
        if turn <= 0 then return requests[share[1]]() end
    end
end

-- Requests per second, the 50th and the 99th of 100 latencies in microseconds, and how many requests have failed.
function done(summary, latency)
    local errors = summary.errors
    io.write(string.format(
        "figures %.0f %.0f %.0f %d\n", summary.requests / summary.duration * 1e6, latency:percentile(50),
        latency:percentile(99), errors.connect + errors.read + errors.write + errors.status + errors.timeout))
end
