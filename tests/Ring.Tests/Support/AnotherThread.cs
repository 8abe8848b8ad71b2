namespace Raceway.Rings.Tests;

/// <summary>A call by another thread, while this one waits and goes on afterwards: what is awaited may go on on another one.</summary>
internal static class AnotherThread
{
    /// <summary>What the call threw; null if nothing.</summary>
    public static Exception? Run(Action call)
    {
        Exception? thrown = null;
        var other = new Thread(() => thrown = Record.Exception(call));
        other.Start();
        other.Join();
        return thrown;
    }
}
