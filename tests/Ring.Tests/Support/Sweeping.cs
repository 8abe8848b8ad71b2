namespace Raceway.Rings.Tests;

/// <summary>Runs a test's code in the middle of a look for room: after what is granted was read, before the wait.</summary>
internal sealed class Sweeping(Action action) : ISweepable
{
    public void Sweep(long first, long last) => action();
}
