using Raceway.Rings;

namespace Raceway.Testing;

/// <summary>Finds a handler object that two stages have which may run at the same time, such as two workers.</summary>
internal static class SharedHandlers
{
    public static void Check(IReadOnlyList<Stage> stages)
    {
        for (int i = 0; i < stages.Count; i++)
        {
            // A delegate is shared by all workers that are given by one.
            if (stages[i].GetHandler<object>() is var handler && (handler is Delegate || handler.GetType().IsValueType)) continue;
            for (int j = 0; j < i; j++)
            {
                if (!ReferenceEquals(handler, stages[j].GetHandler<object>()) || Follows(stages[i], stages[j])) continue;
                throw new ContractException(
                    "Stages that may run at the same time need a handler each.",
                    $"'{stages[j].Name}' and '{stages[i].Name}' have the same {handler.GetType().Name}", "a trial",
                    "Make one for each, or set SharesHandlers if it is safe to call at the same time.");
            }
        }
    }

    private static bool Follows(Stage stage, Stage other) => stage.Upstream.Any(one => one == other || Follows(one, other));
}
