using System.Runtime.CompilerServices;
using Raceway.Rings;

namespace Raceway.Concurrency;

/// <summary>A for-each over numbered items, which workers claim in ranges.</summary>
/// <remarks>
/// <para>
/// <b>Ranges adapt</b>: a worker begins with one item and takes twice as many while a range took less than 20 µs, a quarter
/// of it after one of more than 100 µs. Towards the end it takes a share of 1/(2 · bound) of what is left, but not less than
/// pays for a claim (guided self-scheduling; Polychronopoulos and Kuck, 1987). So short bodies are not paid for with an atomic
/// operation each, and long ones do not wait in a line behind another while workers are idle.
/// </para>
/// <para>
/// <b>A range opens</b> when one of its bodies suspends: time says little of a body before it ran, and the items behind it
/// must not wait. The rest is put where the other workers can reach it, and from then on its owner too takes it item by item;
/// a worker that finds no unclaimed items takes half of another's rest (work stealing). The rest is one word, first and end of it, so
/// that taking from either side is one compare-and-swap. Its first number only grows while it is open and never comes back:
/// a value that was seen cannot return meanwhile.
/// </para>
/// </remarks>
internal sealed class RangeRun<T, TItems, TBody> : ForEachRun
    where TItems : struct, IForEachItems<T>
    where TBody : struct, IForEachBody<T>
{
    private static readonly long s_short = Clock.Ticks(TimeSpan.FromMicroseconds(20));
    private static readonly long s_long = Clock.Ticks(TimeSpan.FromMicroseconds(100));

    private const int MostClaimed = 1 << 20;

    // What is left of a claim at the end: a 16th of 20 µs is worth a claim, and makes no worker wait for long.
    private const int SharesOfRange = 16;

    private TItems _items;
    private TBody _body;
    private int _count;
    private PaddedLong _next;

    public static ValueTask Run(TItems items, int bound, TBody body, CancellationToken cancellation)
    {
        if (cancellation.IsCancellationRequested) return ValueTask.FromCanceled(cancellation);
        if (items.Count <= 0) return default;
        RangeRun<T, TItems, TBody> run = Pool<RangeRun<T, TItems, TBody>>.Rent();
        run._items = items;
        run._body = body;
        run._count = items.Count;
        run._next.Value = 0;
        return run.Start(Math.Min(bound, items.Count), cancellation);
    }

    protected override ForEachWorker CreateWorker() => new Worker(this);

    protected override void Release()
    {
        base.Release();
        _items = default;
        _body = default;
        Pool<RangeRun<T, TItems, TBody>>.Return(this);
    }

    private bool IsLeft => Volatile.Read(ref _next.Value) < _count;

    protected override bool HasRest
    {
        get
        {
            foreach (ForEachWorker? other in Workers)
            {
                if (other is Worker { HasRest: true }) return true;
            }

            return false;
        }
    }

    private sealed class Worker(RangeRun<T, TItems, TBody> run) : ForEachWorker(run)
    {
        private int _next;
        private int _end;
        private int _size;
        private bool _isOpen;
        private bool _hasSuspended;
        private long _begun;
        private int _claimed;
        private PaddedLong _rest;

        // ORDER: volatile, behind the full fence of the claim that left nothing unclaimed; pairs with Open, which publishes the rest before
        // its worker looks for unclaimed items: one that has seen some, and left its rest to others, is seen here.
        public bool HasRest => Volatile.Read(ref _rest.Value) != 0;

        protected override void Reset()
        {
            _size = 1;
            _isOpen = _hasSuspended = false;
            _next = _end = _claimed = 0;
        }

        protected override Outcome Work()
        {
            while (true)
            {
                if (!Take()) return Outcome.Ended;
                if (!RunRange(out ValueTask body)) return Stop();
                if (body != default)
                {
                    if (!_isOpen) BeforeSuspension();
                    return SuspendOrFail(body);
                }

                if (_isOpen) continue;
                long now = MachineClock.Now;
                if (Adapt(now) > s_long && run.IsLeft) run.StartAnother();
                if (IsSliceOver(now)) return Outcome.SliceOver;
            }
        }

        // A task that was awaited before takes no other awaiter.
        private Outcome SuspendOrFail(ValueTask body)
        {
            try
            {
                return Suspend(body);
            }
            catch (Exception refused)
            {
                run.Fail(refused);
                return Stop();
            }
        }

        private void BeforeSuspension()
        {
            bool isOpen = _next < _end;
            if (isOpen) Open();
            if (run.IsLeft)
            {
                if (_hasSuspended) return;
                _hasSuspended = true;
                run.StartAnother();
            }
            else if (isOpen || run.HasRest)
            {
                // Nothing is unclaimed, so others may have ended; but there is something to take over, here or behind a body that waits:
                // its worker may have left that to this one. A worker that is started and finds nothing ends, and starts no other.
                run.StartAnother();
            }
        }

        // Runs the items in hand until one suspends; false where no more may begin.
        private bool RunRange(out ValueTask suspended)
        {
            suspended = default;
            try
            {
                // What the loop needs in locals: it may be all that a short body costs.
                TItems items = run._items;
                TBody body = run._body;
                CancellationToken token = run.Token;
                int end = _end;
                for (int index = _next; index < end;)
                {
                    if (token.IsCancellationRequested)
                    {
                        run.CutShort();
                        return false;
                    }

                    ValueTask one = body.Invoke(items[index++], token);
                    // It has completed, and has no source that waits for its result: all that most short bodies return.
                    if (one == default) continue;
                    if (!IsSettled(one))
                    {
                        _next = index;
                        suspended = one;
                        return true;
                    }
                }

                _next = end;
                return true;
            }
            catch (Exception failure)
            {
                run.Fail(failure);
                return false;
            }
        }

        // Not in the loop: there the task would be copied through memory for each body.
        [MethodImpl(MethodImplOptions.NoInlining)]
        private static bool IsSettled(ValueTask one)
        {
            if (!one.IsCompletedSuccessfully) return false;
            // Its source may wait to be given back.
            one.GetAwaiter().GetResult();
            return true;
        }

        /// <summary>Puts the next items into <see cref="_next"/> and <see cref="_end"/>; false where there are none.</summary>
        private bool Take()
        {
            if (_isOpen)
            {
                if (PopOwn()) return true;
                _isOpen = false;
            }

            if (_next < _end) return true;
            long now = MachineClock.Now;
            // One that has suspended has not been judged yet; the time it was suspended counts.
            if (_claimed != 0) Adapt(now);
            _begun = now;
            return Claim() || Steal();
        }

        private bool Claim()
        {
            long left = run._count - Volatile.Read(ref run._next.Value);
            if (left <= 0) return false;
            long share = Math.Max(left / (2L * run.Bound), _size / SharesOfRange);
            int size = (int)Math.Clamp(share, 1, _size);
            long first = Interlocked.Add(ref run._next.Value, size) - size;
            if (first >= run._count) return false;
            _next = (int)first;
            _end = (int)Math.Min(first + size, run._count);
            _claimed = size;
            return true;
        }

        // Judges the range that is over, by the time it took.
        private long Adapt(long now)
        {
            long ticks = now - _begun;
            if (ticks > s_long) _size = Math.Max(1, _size / 4);
            else if (ticks < s_short && _claimed == _size) _size = Math.Min(_size * 2, MostClaimed);
            _claimed = 0;
            return ticks;
        }

        // ORDER: full; pairs with the claim of a worker that then finds nothing unclaimed and looks for a rest: either it sees this one,
        // or this worker sees that nothing is left and starts another. Where the bound allows none, it pairs with WorkerEnded. Before the continuation is registered: from there on
        // this worker may be running elsewhere.
        private void Open()
        {
            _isOpen = true;
            Interlocked.Exchange(ref _rest.Value, Pack(_next, _end));
            _end = _next;
        }

        private bool PopOwn()
        {
            long rest = Volatile.Read(ref _rest.Value);
            while (rest != 0)
            {
                (int first, int end) = Unpack(rest);
                long less = first + 1 < end ? Pack(first + 1, end) : 0;
                long seen = Interlocked.CompareExchange(ref _rest.Value, less, rest);
                if (seen == rest)
                {
                    _next = first;
                    _end = first + 1;
                    return true;
                }

                rest = seen;
            }

            return false;
        }

        private bool Steal()
        {
            foreach (ForEachWorker? other in run.Workers)
            {
                if (other is Worker worker && worker != this && worker.GiveHalf(this)) return true;
            }

            return false;
        }

        private bool GiveHalf(Worker thief)
        {
            long rest = Volatile.Read(ref _rest.Value);
            while (rest != 0)
            {
                (int first, int end) = Unpack(rest);
                int middle = first + ((end - first) / 2);
                long kept = middle > first ? Pack(first, middle) : 0;
                long seen = Interlocked.CompareExchange(ref _rest.Value, kept, rest);
                if (seen == rest)
                {
                    (thief._next, thief._end, thief._claimed) = (middle, end, end - middle);
                    return true;
                }

                rest = seen;
            }

            return false;
        }

        // No worker takes what it has not begun.
        private Outcome Stop()
        {
            Volatile.Write(ref _rest.Value, 0);
            return Outcome.Ended;
        }

        // The end is never 0, so neither is the word of a rest.
        private static long Pack(int first, int end) => ((long)end << 32) | (uint)first;

        private static (int First, int End) Unpack(long rest) => ((int)(uint)rest, (int)(rest >> 32));
    }
}
