namespace Raceway.Testing;

/// <summary>Runs a check with an end: what hangs is a breach, and is told with its rule.</summary>
internal sealed class Guard(string setting, TimeSpan limit)
{
    public void That(bool holds, string rule, Func<string> found)
    {
        if (!holds) throw new ContractException(rule, found(), setting);
    }

    /// <summary>Runs <paramref name="work"/> on a thread of its own, and waits for it as long as the limit allows.</summary>
    public void Ends(string rule, Action work)
    {
        Exception? fault = null;
        var thread = new Thread(() =>
        {
            try
            {
                work();
            }
            catch (Exception thrown)
            {
                fault = thrown;
            }
        })
        { IsBackground = true, Name = "contract" };
        thread.Start();
        That(thread.Join(limit), rule, () => $"no end within {limit.TotalSeconds:0} s");
        if (fault is not null) That(false, rule, () => $"{fault.GetType().Name}: {fault.Message}");
    }

    /// <summary>Waits for <paramref name="task"/> as long as the limit allows.</summary>
    public T Ends<T>(string rule, Task<T> task)
    {
        Ends(rule, () => ((Task)task).Wait());
        return task.Result;
    }

    /// <summary>Disposes behind <paramref name="check"/>. A breach that this one finds is the one that is told.</summary>
    public void Disposes(string rule, IAsyncDisposable subject, Action check)
    {
        bool holds = false;
        try
        {
            check();
            holds = true;
        }
        finally
        {
            Task disposal = subject.DisposeAsync().AsTask();
            if (holds) Ends(rule, disposal.Wait);
        }
    }

    /// <summary>Waits until <paramref name="condition"/> holds, as long as the limit allows.</summary>
    public void Comes(string rule, Func<bool> condition, Func<string> found)
    {
        long until = Environment.TickCount64 + (long)limit.TotalMilliseconds;
        while (!condition())
        {
            That(Environment.TickCount64 < until, rule, found);
            Thread.Yield();
        }
    }
}
