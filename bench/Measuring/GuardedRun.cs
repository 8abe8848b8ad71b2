namespace Raceway.Measuring;

/// <summary>Runs a contestant so that neither an exception nor a hang of it ends the measuring.</summary>
internal static class GuardedRun
{
    /// <summary>What a contestant gets after it was asked to stop, before its thread is left behind.</summary>
    public static readonly TimeSpan Grace = TimeSpan.FromSeconds(2);

    public static RunOutcome Run(
        IContestant contestant, long operations, TimeSpan limit, CancellationToken cancellation, TimeProvider? clock = null)
    {
        var run = new Attempt(contestant, operations, cancellation);

        // All that waits is made before the run begins: bytes that a run allocates are counted, of all threads.
        bool inTime = run.Within(limit, clock ?? TimeProvider.System, run.Start, cancellation);
        if (!inTime)
        {
            if (!run.Within(Grace, clock ?? TimeProvider.System, run.Cancel, default))
            {
                return cancellation.IsCancellationRequested
                    ? new RunOutcome(null, null, Abandoned: true)
                    : new RunOutcome(null, DidNotReturn(limit), TooLong: true, Abandoned: true);
            }
        }

        // A run that was cancelled may have stopped in the middle, whether it or its watcher sees that first.
        if (cancellation.IsCancellationRequested) return default;
        if (inTime && run.Sample is { } done) return new RunOutcome(done, null);
        if (!inTime) return new RunOutcome(null, TooLong(limit), TooLong: true);
        return new RunOutcome(null, $"failed: {run.Error!.GetType().Name}: {FirstLine(run.Error.Message)}");
    }

    private static string TooLong(TimeSpan limit) => $"dropped: a run took more than {Told(limit)}";

    private static string DidNotReturn(TimeSpan limit) =>
        $"dropped: a run did not return in {Told(limit)}, nor when it was cancelled";

    private static string Told(TimeSpan time) => time < TimeSpan.FromSeconds(1)
        ? FormattableString.Invariant($"{time.TotalMilliseconds:0.#} ms")
        : FormattableString.Invariant($"{time.TotalSeconds:0.#} s");

    private static string FirstLine(string text) => text.Split('\n', 2)[0].TrimEnd('\r');

    // Nothing of it is disposed: a run that is left behind may still look at all of it.
    private sealed class Attempt
    {
        private readonly CancellationTokenSource _stop;
        private readonly ManualResetEvent _woken = new(false);
        private readonly Thread _thread;
        private bool _ended;

        public Attempt(IContestant contestant, long operations, CancellationToken cancellation)
        {
            _stop = CancellationTokenSource.CreateLinkedTokenSource(cancellation);
            _thread = new Thread(() =>
            {
                try
                {
                    Sample = contestant.Run(operations, _stop.Token);
                }
                catch (Exception e)
                {
                    Error = e;
                }

                Volatile.Write(ref _ended, true);
                _woken.Set();
            }) { IsBackground = true, Name = "contestant" };
        }

        public Sample? Sample { get; private set; }

        public Exception? Error { get; private set; }

        public void Start() => _thread.Start();

        // What the contestant registered runs there, and may hang. The thread pool may be what the run keeps busy.
        public void Cancel() => new Thread(_stop.Cancel) { IsBackground = true, Name = "cancel" }.Start();

        /// <summary>Whether it ends within a time, unless it is cancelled before.</summary>
        public bool Within(TimeSpan limit, TimeProvider clock, Action begin, CancellationToken cancellation)
        {
            _woken.Reset();
            // A run that ended a moment too late has set it before.
            if (Volatile.Read(ref _ended)) _woken.Set();
            var budget = new TimeBudget(clock, limit);
            using CancellationTokenRegistration onInterrupt = cancellation.Register(static woken => ((ManualResetEvent)woken!).Set(), _woken);
            budget.Wait(_woken, begin);
            if (!Volatile.Read(ref _ended)) return false;
            _thread.Join();
            return true;
        }
    }
}
