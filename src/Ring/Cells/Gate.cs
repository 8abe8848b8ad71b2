namespace Raceway.Rings;

/// <summary>Monitor entry that an interrupt cannot break: progress bookkeeping must finish once begun.</summary>
internal static class Gate
{
    /// <summary>Enters; an interrupt met while waiting is put back on the thread afterwards.</summary>
    public static void Enter(object gate)
    {
        bool interrupted = false;
        while (true)
        {
            try
            {
                Monitor.Enter(gate);
                break;
            }
            catch (ThreadInterruptedException)
            {
                interrupted = true;
            }
        }

        if (interrupted) Thread.CurrentThread.Interrupt();
    }

    /// <summary>Leaves.</summary>
    public static void Exit(object gate) => Monitor.Exit(gate);

    /// <summary>Whether the caller is inside; for assertions.</summary>
    public static bool IsHeld(object gate) => Monitor.IsEntered(gate);

    /// <summary>Enters until the end of a <c>using</c>.</summary>
    public static Held Hold(object gate)
    {
        Enter(gate);
        return new Held(gate);
    }

    /// <summary>A gate that is held.</summary>
    public readonly ref struct Held(object gate)
    {
        public void Dispose() => Exit(gate);
    }
}
