"""Are drafts close to what people wrote, given all that came before and nothing that came later?"""
