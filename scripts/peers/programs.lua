-- What the terms compute, in Lua 5.4 as one would write it; lists that a term builds and takes apart
-- are nested pairs. A name comes in, and milliseconds and the value go out. Lua has no JSON, and its
-- only fine clock tells processor time.

local MILLION = 1000000

local function fib(n)
  if n < 2 then return n end
  return fib(n - 1) + fib(n - 2)
end

local function fold(f, acc, items)
  for _, item in ipairs(items) do acc = f(acc, item) end
  return acc
end

local function reverse(items)
  local out
  while items do
    out = {items[1], out}
    items = items[2]
  end
  return out
end

local function insert(x, items)
  local placed, out = false, nil
  while items do
    local y = items[1]
    items = items[2]
    if placed then
      out = {y, out}
    elseif x < y then
      placed, out = true, {y, {x, out}}
    else
      out = {y, out}
    end
  end
  if not placed then out = {x, out} end
  return reverse(out)
end

local function insertion_sort(items)
  local in_order
  for _, item in ipairs(items) do in_order = insert(item, in_order) end
  return in_order
end

local function as_array(items)
  local out = {}
  while items do
    out[#out + 1] = items[1]
    items = items[2]
  end
  return out
end

local function two(f) return function(x) return f(f(x)) end end
local function six(f) return function(x) return f(f(f(f(f(f(x)))))) end end
local function ten(f) return function(x) return f(f(f(f(f(f(f(f(f(f(x)))))))))) end end
local function thirteen(f) return function(x) return f(f(f(ten(f)(x)))) end end
local function twenty(f) return function(x) return ten(f)(ten(f)(x)) end end
local function times(m) return function(n) return function(f) return m(n(f)) end end end
local function increment(i) return i + 1 end

local function tail_loop(n)
  local acc = 0
  while n ~= 0 do
    n, acc = n - 1, acc + n
  end
  return acc
end

local function join_text(items)
  local parts = {}
  for i in ipairs(items) do parts[i] = "ab" end
  return #table.concat(parts)
end

local function fixed_point(f)
  local function half(x)
    return f(function(v) return x(x)(v) end)
  end
  return half(half)
end

local function fib_by_fixed_point(n)
  local function step(r)
    return function(k)
      if k < 2 then return k end
      return r(k - 1) + r(k - 2)
    end
  end
  return fixed_point(step)(n)
end

local function doubling(n)
  if n <= 0 then return 1 end
  return doubling(n - 1) + doubling(n - 1)
end

local function build_and_fold(count)
  local built
  for o = 0, count - 1 do
    for i = 0, 99 do built = {i + o * 100, built} end
  end
  local acc = 0
  while built do
    acc = acc + built[1]
    built = built[2]
  end
  return acc
end

local function sum_to(n)
  if n == 0 then return 0 end
  return n + sum_to(n - 1)
end

local function scattered(count)
  local x, out = 12345, {}
  for i = 1, count do
    x = (x * 1664525 + 1013904223) & 0xFFFFFFFF
    out[i] = (x >> 8) % 100000
  end
  return out
end

local function range(count)
  local out = {}
  for i = 1, count do out[i] = i - 1 end
  return out
end

local items, few = range(MILLION), range(100000)
local scattered_200, scattered_500 = scattered(200), scattered(500)
local programs = {
  ["fib(25)"] = function() return fib(25) end,
  ["fold 10^6"] = function() return fold(function(acc, item) return acc + item end, 0, items) end,
  ["insertion sort 500"] = function() return insertion_sort(scattered_500)[1] end,
  ["church 10^6"] = function() return six(ten)(increment)(0) end,
  ["tail loop 10^6"] = function() return tail_loop(MILLION) end,
  ["text 10^5"] = function() return join_text(few) end,
  ["fib(22)"] = function() return fib(22) end,
  ["fib(18) by fixed point"] = function() return fib_by_fixed_point(18) end,
  ["doubling 2^16"] = function() return doubling(16) end,
  ["build and fold 10^5"] = function() return build_and_fold(1000) end,
  ["church 20 x 10 x 100"] = function()
    return times(times(twenty)(ten))(times(ten)(ten))(increment)(0)
  end,
  ["church 2^13"] = function() return thirteen(two)(increment)(0) end,
  ["recursion 3000 deep"] = function() return sum_to(3000) end,
  ["insertion sort 200"] = function() return as_array(insertion_sort(scattered_200)) end,
}

local function json(value)
  if type(value) == "table" then return "[" .. table.concat(value, ",") .. "]" end
  return tostring(value)
end

io.stdout:setvbuf("line")
print(_VERSION)
for name in io.lines() do
  local run = programs[name]
  if run then
    local start = os.clock()
    local value = run()
    print(string.format("%.6f %s", (os.clock() - start) * 1e3, json(value)))
  else
    print("- not in its library")
  end
end
