"""A support bot that learns how things are done.

Run it: python support_bot.py
"""

from engrain import MemoryManager, Procedure, ProcedureStep

REFUND = Procedure(
    name="Refund an order that arrived broken",
    trigger_conditions=("the parcel arrived broken", "the customer wants a refund"),
    steps=(
        ProcedureStep(action="Look the order up", tool_name="get_order", parameters_template={"id": "{order}"}),
        ProcedureStep(action="Ask for a photo"),
        ProcedureStep(action="Pay back", tool_name="pay_back", parameters_template={"order": "{order}"}),
    ),
)


def handle(memory: MemoryManager, customer: str, message: str) -> str:
    """Return what the bot does about a message, and keep the message as what this customer said."""
    mine = memory.scoped(user=customer)
    mine.remember(message, source_type="user_input", tags=["ticket"])
    found = memory.procedures.find(message, k=1)
    if not found:
        return "hand over to a person"
    memory.procedures.record_outcome(found[0].id, success=True)
    return found[0].content


if __name__ == "__main__":
    with MemoryManager("support.db") as memory:
        memory.procedures.store(REFUND)
        print(handle(memory, "otto", "My parcel arrived broken, I want a refund for order 4711."))
        print(memory.scoped(user="otto").recall("which order was broken?", k=1)[0].content)
        print(memory.scoped(user="vera").recall("which order was broken?", kinds=["semantic", "episodic"]).texts)
