using Raceway.Explorer.Modelled;

namespace Raceway.Explorer.Engine;

/// <content>Monitors, and what passes from one owner to the next.</content>
internal sealed partial class Model
{
    private readonly Dictionary<object, Lock> _locks = new(ReferenceEqualityComparer.Instance);

    public Lock LockOf(object gate)
    {
        if (_locks.TryGetValue(gate, out Lock? known)) return known;
        var made = new Lock(_locks.Count);
        _locks.Add(gate, made);
        return made;
    }

    /// <summary>Leaves what <paramref name="me"/> knows for the next owner.</summary>
    public void Teach(ModelThread me, ref int[]? known)
    {
        Views.Copy(me.View, known ??= NewView(), _used);
        _stores++;
    }
}
