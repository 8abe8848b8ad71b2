namespace Raceway.Pipelines;

/// <summary>Walks what a stage is for item by item, for a stage that stops and goes on in the middle of a batch.</summary>
internal struct InputWalk(StageInput input)
{
    private long _ownEnd;

    /// <summary>The first sequence from <paramref name="from"/> on that is the stage's own; <paramref name="end"/> where none is.</summary>
    /// <param name="from">Everything before it is passed.</param>
    /// <param name="end">One past the last that the stage has seen upstream pass.</param>
    public long Next(long from, long end)
    {
        for (; from < end; from++)
        {
            if (input.Share is { } share && from >= _ownEnd)
            {
                if (!share.TryTake(from, end, out from, out int count)) return end;
                _ownEnd = from + count;
            }

            if (SelectedWords.CountOf(input.Selection, from, 1) != 0) return from;
        }

        return end;
    }
}
