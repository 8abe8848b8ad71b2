using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using Raceway.Rings;

namespace Raceway.Pipelines;

/// <summary>A stage that leaves other items in the slots than it found.</summary>
internal interface IMoves;

/// <summary>Passes a ring's items on to a further ring.</summary>
/// <remarks>
/// Items without references are copied. Others change places with what the slot of the next ring holds: objects that slots
/// reuse stay each slot's own, and nothing is kept alive twice. So nothing may read the slots here beside it or after it.
/// </remarks>
internal sealed class LinkStage<T>(Ring ring, Slots<T> column, Producer<T> next, StageOptions options, string name)
    : ForwardingStage<T, T>(ring, column, next, options, name), IMoves
{
    protected override bool Forward()
    {
        long first = Reached;
        int left = (int)(CallEnd - first);
        while (true)
        {
            int count = Claim(left, out Claim<T> claim);
            if (count == 0)
            {
                if (Ends) return true;
                if (TryRest(left)) return false;
                continue;
            }

            Move(first, count, claim);
            try
            {
                claim.Commit();
            }
            catch (InvalidOperationException)
            {
                // The next ring has ended meanwhile: what it refuses is still here, for this ring to count.
                Move(first, count, claim);
                EndWithNext();
                return true;
            }

            Reached = first + count;
            Done.Advance(Reached - 1);
            return true;
        }
    }

    // A swap done twice changes nothing.
    private void Move(long first, int count, in Claim<T> claim)
    {
        int moved = 0;
        while (moved < count)
        {
            ref T from = ref Column.Run(first + moved, count - moved, ref LaneRun, out int length);
            int straight = claim.First.Length;
            Span<T> to = moved < straight ? claim.First[moved..] : claim.Second[(moved - straight)..];
            length = Math.Min(length, to.Length);
            if (RuntimeHelpers.IsReferenceOrContainsReferences<T>())
            {
                for (int i = 0; i < length; i++) (to[i], At(ref from, i)) = (At(ref from, i), to[i]);
            }
            else if (Column.Step == 1)
            {
                MemoryMarshal.CreateSpan(ref from, length).CopyTo(to);
            }
            else
            {
                for (int i = 0; i < length; i++) to[i] = At(ref from, i);
            }

            moved += length;
        }
    }

    private ref T At(ref T from, int index) => ref Unsafe.Add(ref from, (nint)index * Column.Step);
}
