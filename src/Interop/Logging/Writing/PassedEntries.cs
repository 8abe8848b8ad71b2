namespace Raceway.Interop.Logging.Writing;

/// <summary>How far the writer is, and the callers that wait for it.</summary>
internal sealed class PassedEntries
{
    private readonly object _gate = new();
    private long _passed;
    private int _waiting;
    private bool _hasEnded;

    /// <summary>The last entry that is written, or given up.</summary>
    public long Last => Volatile.Read(ref _passed);

    /// <summary>The writer has passed all entries up to <paramref name="ticket"/>.</summary>
    public void Pass(long ticket)
    {
        // ORDER: full; pairs with Wait: this sees the waiting caller, or the caller sees what is passed.
        Interlocked.Exchange(ref _passed, ticket);
        if (Volatile.Read(ref _waiting) == 0) return;
        lock (_gate) Monitor.PulseAll(_gate);
    }

    /// <summary>Nothing more will be passed.</summary>
    public void End()
    {
        lock (_gate)
        {
            _hasEnded = true;
            Monitor.PulseAll(_gate);
        }
    }

    /// <summary>Waits until <paramref name="ticket"/> is passed; false if the time is up before, or the writer has ended.</summary>
    public bool Wait(long ticket, TimeSpan timeout)
    {
        // ORDER: full; pairs with Pass.
        Interlocked.Increment(ref _waiting);
        try
        {
            long deadline = Environment.TickCount64 + (long)timeout.TotalMilliseconds;
            lock (_gate)
            {
                while (Last < ticket && !_hasEnded)
                {
                    long left = deadline - Environment.TickCount64;
                    if (left <= 0) return false;
                    Monitor.Wait(_gate, (int)Math.Min(left, int.MaxValue));
                }
            }

            return Last >= ticket;
        }
        finally
        {
            Interlocked.Decrement(ref _waiting);
        }
    }
}
