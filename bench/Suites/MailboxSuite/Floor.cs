using System.Collections.Concurrent;
using System.Diagnostics;
using Raceway.Measuring;

namespace Raceway.Suites.MailboxSuite;

/// <summary>The bare loops: nothing is posted, one thread does all the work.</summary>
/// <param name="name">The contestant.</param>
/// <param name="shape">The case.</param>
/// <param name="withBody">Whether the actors are called, or only counted round.</param>
internal sealed class Floor(string name, MailboxShape shape, bool withBody) : ScenarioContestant(name)
{
    private const int CalibrationMessages = 200_000;
    private const int CalibrationRuns = 5;
    private static readonly ConcurrentDictionary<(ActorWork, int, bool), double> s_floors = [];

    private Actor[] _actors = [];
    private long _each;
    private long _counted;

    /// <summary>What the body costs, (Payload − Hammer)/N: measured once for each kind of work, the least of some runs.</summary>
    public static double NanosecondsOf(MailboxShape shape) => s_floors.GetOrAdd((shape.Work, shape.Bytes, shape.Carried), _ =>
    {
        int messages = shape.Work == ActorWork.Sum ? CalibrationMessages : CalibrationMessages / 20;
        MailboxShape one = shape with { Actors = 1, Messages = messages, Bound = null };
        double Least(bool withBody) => Enumerable.Range(0, CalibrationRuns)
            .Select(_ => new Floor("", one, withBody).Run(messages, CancellationToken.None).Seconds).Min();
        return (Least(true) - Least(false)) * 1e9 / messages;
    });

    protected override void Prepare(long operations)
    {
        _each = Math.Max(1, operations / shape.Actors);
        _counted = 0;
        var handled = new CountdownEvent(shape.Actors);
        _actors = [.. Enumerable.Range(0, shape.Actors).Select(_ => new Actor(shape, handled))];
        foreach (Actor actor in _actors) actor.Expect((int)_each);
    }

    protected override void Work(long operations, CancellationToken cancellation)
    {
        byte[] carried = shape.Carried ? new byte[shape.Bytes] : [];
        for (int message = 0; message < _each; message++)
        {
            foreach (Actor actor in _actors)
            {
                if (withBody && shape.Carried)
                {
                    carried.AsSpan().Fill((byte)message);
                    actor.Take(message, carried);
                }
                else if (withBody) actor.Take(message);
                else Volatile.Write(ref _counted, _counted + 1);
            }
        }
    }

    protected override bool Finish(long operations, out IReadOnlyList<Count> further)
    {
        further = [];
        return withBody
            ? Array.TrueForAll(_actors, actor => actor.Sum == Actor.Expected(shape, [(int)_each]))
            : _counted == _each * shape.Actors;
    }
}
