namespace Raceway.RabbitBench;

/// <summary>Which messages of a channel are confirmed: each is counted once, in whatever order confirms come.</summary>
internal sealed class Confirms
{
    // Confirmed before one that was sent earlier.
    private readonly HashSet<ulong> _ahead = [];
    private ulong _next = 1;

    /// <summary>Takes a confirm; how many messages it is the first for.</summary>
    public int Add(ulong number, bool multiple)
    {
        int count = 0;
        if (multiple)
        {
            for (; _next <= number; _next++)
                if (!_ahead.Remove(_next)) count++;
        }
        else if (number >= _next && _ahead.Add(number))
        {
            count = 1;
        }

        while (_ahead.Remove(_next)) _next++;
        return count;
    }
}
